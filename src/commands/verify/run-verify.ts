import { closing, orClose } from '../../app/closing.ts';
import { rulesOf } from '../../app/open-recording.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { readingRecords } from '../../guard/reading-records.ts';
import { header } from '../../http/http.ts';
import { patternTree } from '../../json/pointer-pattern.ts';
import { LEARNT } from '../../model/record.ts';
import { RECORD_LIMIT } from '../../recordings/body.ts';
import { DRIFT_RULES, isDriftRule } from '../../recordings/drift/drift-rules.ts';
import { findRecording } from '../../recordings/find-recording.ts';
import type { MatchRules } from '../../recordings/matching/match-rules.ts';
import { requestKey } from '../../recordings/matching/request-form.ts';
import type { LockWords } from '../../recordings/store/lock.ts';
import { openStore } from '../../recordings/store/open-store.ts';
import type { RecordingStore } from '../../recordings/store/recording-store.ts';
import { fails, type Remark, type Report, summaryOf } from '../../reporters/report.ts';
import { amount } from '../../reporters/wording.ts';
import type { Config } from '../../settings/config.ts';
import { KnownState } from '../../state/known-state.ts';
import type { Forward } from '../../upstreams/forward.ts';
import { openForward } from '../../upstreams/open-forward.ts';
import { secretsOf } from '../../upstreams/set-headers.ts';
import { parseTarget, type Target } from '../../upstreams/target.ts';
import { version } from '../../version.ts';
import { hideSecrets } from '../check/hide-secrets.ts';
import { checkOutputs, type ReportOutput } from '../check/outputs.ts';
import type { ProgressLine } from '../check/standard-io.ts';
import { checkSuppressedRules, remarksOn } from '../check/suppress.ts';
import { type ReportIo, writeReports } from '../check/write-reports.ts';
import {
  type Choose,
  chooser,
  inOrder,
  isSelecting,
  nothingSelected,
  type Selection,
} from '../recordings/selection.ts';
import { type ReplayRequest, Verification } from './verification.ts';
import { AcceptedAnswers, type Kept, VerifiedFiles } from './verified-files.ts';

export interface VerifyArgs {
  config: Config;
  selection: Selection;
  /** Headers of each request: name, value, name, value, … */
  headers: readonly string[];
  /** Send PATCHes that pass the gate, too. */
  isUnsafe: boolean;
  /** Take the live answers into the recording. */
  updates: boolean;
  outputs: readonly ReportOutput[];
}

interface VerifyIo extends ReportIo {
  /** Takes one notice for people. */
  notice(text: string): void;
  readonly progress?: Pick<ProgressLine, 'show' | 'clear'>;
  /** `2026-11-21` */
  readonly today: string;
  readonly stopped: AbortSignal;
}

const ONLY_READ = 'verify without --update, which only reads';

/** Who writes to the recording may be a proxy, or another run of verify. */
const UPDATING: LockWords = {
  thing: 'the recording',
  doing: 'writing to it',
  instead: { here: ONLY_READ, elsewhere: `wait for its end, or ${ONLY_READ}` },
  place: ONLY_READ,
};

/**
 * Sends the requests of a recording again, one after the other: the target is not to feel it, and what they do to it happens in
 * the order in which it was recorded. Reports how the answers differ.
 *
 * @param createGate called once it is clear that there is a recording
 * @returns the exit code: 0 clean, 1 drift at or above `failOn`
 * @throws PatchgateError where it could not run to its end; then nothing was reported or written
 */
export async function runVerify(
  args: VerifyArgs,
  io: VerifyIo,
  createGate: () => Promise<Gate>,
): Promise<0 | 1> {
  const { config, selection, isUnsafe, updates, outputs } = args;
  const target = targetOf(config);
  const root = await findRecording(config.recordings, config.recording);
  checkOutputs(outputs, [root], io.cwd);
  const gate = await createGate();
  checkSuppressedRules(config.suppressions, gate.rules);
  const suppressions = config.suppressions.filter(({ rule }) => isDriftRule(rule));
  const rules = rulesOf(config, secretsOf(config.setHeader, process.env));
  const upstream = await openTarget(target, config, io);
  const files = new VerifiedFiles(root);
  const accepted = updates ? new AcceptedAnswers(root) : undefined;
  const store = await orClose(upstream, () =>
    openStore(config.recordings, config.recording, {
      ...config,
      ...{ rules, onNotice: io.notice, writable: updates, lockWords: UPDATING },
    }),
  );
  const report: Report = {
    command: 'verify',
    files: [],
    rules: isUnsafe ? [...DRIFT_RULES, ...gate.rules] : DRIFT_RULES,
  };
  try {
    const { timeout } = config;
    const state = new KnownState();
    const reading = { kinds: LEARNT, timeout, redaction: rules.redaction, notice: io.notice };
    const verification = new Verification(
      {
        ...{ store, upstream, gate, state, isUnsafe, suppressions, accepted },
        ask: { target, rules, timeout, bodyLimit: RECORD_LIMIT, stopped: io.stopped },
        find: config.readState ? readingRecords(state, upstream, reading) : undefined,
        headers: withAgent(args.headers),
        drift: driftRulesOf(config, rules),
        severities: config,
        ...{ cwd: io.cwd, today: io.today },
      },
      files,
    );
    const requests = replayRequestsOf(store, chooser(selection), rules, isUnsafe);
    for (const request of requests) {
      await verification.ask(request);
      io.progress?.show(() => `sent ${amount(verification.sent, 'request')}`);
    }
    // A misspelt path would find no drift for ever.
    if (requests.length === 0 && isSelecting(selection)) throw nothingSelected(config.recording);
    verification.end();
    report.files = hideSecrets(files.checkedFiles(), rules.redaction);
    await accepted?.write();
    report.remarks = [
      ...remarksOn(suppressions, report.files, io),
      ...remarksOfRun(report, verification, accepted, args),
    ];
  } finally {
    io.progress?.clear();
    await closing(upstream, store);
  }
  await writeReports(report, outputs, io, { failOn: config.failOn, hasBaseline: false });
  return fails(report, config.failOn) ? 1 : 0;
}

/**
 * The requests of a recording, in the order in which they were recorded.
 *
 * @param isEach whether each is asked as often as it was recorded, in its place. Else requests that matching takes for one are sent
 *   once: where nothing changes the service, it has one answer
 * @throws PatchgateError `bad-recording`, `cannot-read`
 */
function replayRequestsOf(
  store: RecordingStore,
  choose: Choose,
  rules: MatchRules,
  isEach: boolean,
): ReplayRequest[] {
  const all: Kept[] = inOrder(store, choose);
  if (isEach) return all.map((kept) => [kept]);
  const byKey = new Map<string, [Kept, ...Kept[]]>();
  for (const kept of all) {
    const key = requestKey(kept.exchange.request, rules);
    if (!byKey.get(key)?.push(kept)) byKey.set(key, [kept]);
  }
  return [...byKey.values()];
}

/** Who asks: some services refuse a request that does not say. */
function withAgent(headers: readonly string[]): readonly string[] {
  if (header(headers, 'user-agent') !== undefined) return headers;
  return [...headers, 'user-agent', `patchgate/${version()}`];
}

function targetOf({ target }: Config): Target {
  if (target !== undefined) return parseTarget(target);
  throw new PatchgateError('bad-usage', 'no target is given', {
    hint: 'patchgate verify --recording checkout --target https://staging.example.com/api/v2',
  });
}

async function openTarget(target: Target, config: Config, { notice }: VerifyIo): Promise<Forward> {
  const settings = { ...config, preserveHost: false, forwardedHeaders: false };
  const forward = await openForward(target, settings, process.env);
  if (forward.isInsecure) notice(`the certificate of ${target.origin} is not verified (--target-insecure)`);
  return forward;
}

function driftRulesOf({ ignoreDrift, driftHeaders }: Config, { redaction }: MatchRules) {
  const headers = new Set(driftHeaders.map((name) => name.toLowerCase()));
  return { ignored: patternTree(ignoreDrift), headers, redaction };
}

function remarksOfRun(
  report: Report,
  { left, refused, blocked, replacedOneOfMany }: Verification,
  accepted: AcceptedAnswers | undefined,
  { config, isUnsafe }: VerifyArgs,
): Remark[] {
  const remarks: Remark[] = [];
  const note = (message: string, hint?: string) =>
    remarks.push({ severity: 'note', message, ...(hint && { hint }) });
  const { judged, skipped } = summaryOf(report);
  // What asks nothing finds nothing, for ever.
  if (judged + skipped === 0)
    remarks.push({
      severity: 'warn',
      message: 'nothing was sent',
      hint: 'patchgate recordings show says what is recorded; only reads are sent without --unsafe',
    });
  if (refused > 0)
    note(
      `the target refused ${amount(refused, 'request')} with 401 or 403`,
      "recordings keep no credentials: give them with --header 'Authorization: Bearer ...'",
    );
  if (left.size > 0) {
    const methods = [...left].map(([method, count]) => `${count} ${method}`).join(', ');
    note(
      `not sent, since they change something: ${methods}`,
      !isUnsafe && left.has('PATCH')
        ? 'with --unsafe PATCHes are sent that pass the gate, and nothing else that changes something'
        : 'it is not known what these would do: patchgate recordings export --format curl has them',
    );
  }
  if (blocked > 0)
    note(
      `the gate kept ${amount(blocked, 'request')} from being sent`,
      'what deletes environments goes out where --allow-delete names them all, and with --no-guard',
    );
  if (accepted && accepted.answers > 0) {
    const files = amount(accepted.files, 'file');
    note(`wrote ${amount(accepted.answers, 'answer')} to ${files} of the recording "${config.recording}"`);
    if (replacedOneOfMany > 0)
      note(
        `${amount(replacedOneOfMany, 'request')} had several answers in the recording; the nearest of each was replaced, the others stay`,
        'record these anew, or verify them with --unsafe, which compares each in its place',
      );
  }
  return remarks;
}
