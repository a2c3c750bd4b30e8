import { redactPath } from '../../recordings/redaction/redact.ts';
import type { Redaction } from '../../recordings/redaction/redaction.ts';
import { type Remark, type Report, summaryOf } from '../../reporters/report.ts';
import { amount } from '../../reporters/wording.ts';
import type { AcceptedAnswers } from './accepted-answers.ts';
import type { StaleChanges } from './stale-changes.ts';

/** What a run did, beside what it found. */
export interface Done {
  recording: string;
  isUnsafe: boolean;
  /** How many of each method were not to be sent. */
  left: ReadonlyMap<string, number>;
  /** How many were answered that they need other credentials. */
  refused: number;
  /** How many the gate kept from being sent. */
  blocked: number;
  /** Where answers were written: these, and of how many requests one of several. */
  accepted: AcceptedAnswers | undefined;
  replacedOneOfMany: number;
  /** What was written leaves these as they were. */
  stale: StaleChanges | undefined;
  redaction: Redaction;
}

export function remarksOfRun(report: Report, done: Done): Remark[] {
  return [
    ...remarkOnNothing(report),
    ...remarkOnRefused(done),
    ...remarkOnLeft(done),
    ...remarkOnBlocked(done),
    ...remarksOnUpdate(done),
    ...remarkOnStale(done),
  ];
}

/** What asks nothing finds nothing, for ever. */
function remarkOnNothing(report: Report): Remark[] {
  const { judged, skipped } = summaryOf(report);
  if (judged + skipped > 0) return [];
  return [
    {
      severity: 'warn',
      message: 'nothing was sent',
      hint: 'patchgate recordings show says what is recorded; only reads are sent without --unsafe',
    },
  ];
}

function remarkOnRefused({ refused }: Done): Remark[] {
  if (refused === 0) return [];
  return [
    {
      severity: 'note',
      message: `the target refused ${amount(refused, 'request')} with 401 or 403`,
      hint: "recordings keep no credentials: give them with --header 'Authorization: Bearer ...'",
    },
  ];
}

function remarkOnLeft({ left, isUnsafe }: Done): Remark[] {
  if (left.size === 0) return [];
  const methods = [...left].map(([method, count]) => `${count} ${method}`);
  const isPatch = !isUnsafe && left.has('PATCH');
  const hint = isPatch
    ? 'with --unsafe PATCHes are sent that pass the gate, and nothing else that changes something'
    : 'nobody can say what these would do: patchgate recordings export --format curl has them';
  return [
    { severity: 'note', message: `not sent, since they change something: ${methods.join(', ')}`, hint },
  ];
}

function remarkOnBlocked({ blocked }: Done): Remark[] {
  if (blocked === 0) return [];
  return [
    {
      severity: 'note',
      message: `the gate kept ${amount(blocked, 'request')} from being sent`,
      hint: 'what deletes environments goes out where --allow-delete names them all, and with --no-guard',
    },
  ];
}

function remarksOnUpdate({ accepted, replacedOneOfMany, recording }: Done): Remark[] {
  if (!accepted || accepted.answers === 0) return [];
  const message = `wrote ${amount(accepted.answers, 'answer')} to ${amount(accepted.files, 'file')} of the recording ${JSON.stringify(recording)}`;
  const note: Remark = { severity: 'note', message };
  if (replacedOneOfMany === 0) return [note];
  return [
    note,
    {
      severity: 'note',
      message: `${amount(replacedOneOfMany, 'request')} had several answers in the recording; the nearest of each was replaced, the others stay`,
      hint: 'record these anew, or verify them with --unsafe, which compares each in its place',
    },
  ];
}

/** Paths that are named. */
const MOST_PATHS = 3;

/** A client that writes back what it has read would miss from now on: no answer of today is in what it sent then. */
function remarkOnStale({ stale, redaction }: Done): Remark[] {
  if (!stale || stale.count === 0) return [];
  const { count, paths, sessions } = stale;
  const where = `${amount(paths.size, 'path')}${sessions.size > 1 ? `, in ${amount(sessions.size, 'session')},` : ''}`;
  const named = [...paths]
    .sort()
    .slice(0, MOST_PATHS)
    .map((path) => redactPath(path, redaction));
  const others = paths.size > MOST_PATHS ? ', …' : '';
  return [
    {
      severity: 'warn',
      message: `${amount(count, 'recorded change')} of ${where} may carry what was read before this update: a client that writes back what it reads misses them now`,
      hint: `record anew: PATCHGATE_RECORD=all PATCHGATE_TARGET=URL, and the tests; or take the update back, and update with --path only what none of these rests on: ${named.join(', ')}${others}`,
    },
  ];
}
