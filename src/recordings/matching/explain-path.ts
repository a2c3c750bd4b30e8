import { redactPath, redactText } from '../redaction/redact.ts';
import type { RecordingStore } from '../store.ts';
import type { SentRequest } from './request-form.ts';
import type { Difference } from './shown-value.ts';

/**
 * What no exchange matches, by what comes nearest to it.
 *
 * - `differs`: others are recorded for its method and path
 * - `other-method`: its path is recorded for other methods
 * - `not-recorded`: none of these; `empty`: nothing is recorded at all
 */
type MissReason = 'differs' | 'other-method' | 'not-recorded' | 'empty';

/** Why no exchange answers a request. Redacted. */
export interface Miss {
  recording: string;
  reason: MissReason;
  /** All of it in one line, for the log and the answer. */
  text: string;
  /** What to do about it, in one sentence. */
  hint: string;
  /** The exchange that comes nearest; without `differences` it is one of another method or path. */
  nearest?: {
    method: string;
    path: string;
    query?: string;
    recordedAt?: string;
    differences?: Difference[];
    /** How many more differences there are; 100 is where counting ends. */
    omitted?: number;
  };
}

/** What to do where it can be recorded. */
export function recordIt(recording: string): string {
  return `patchgate proxy <target> --record --recording ${recording}`;
}

/** A miss's hint where recording is done in another way. @param how of a kind with `recordIt` */
export function hintWith(hint: string, recording: string, how: string): string {
  return hint.replaceAll(recordIt(recording), how);
}

/** Folders of the recording that are looked into, at most. */
const MOST_FOLDERS = 200;
/** A base path may have so many segments more than the one that was sent. */
const DEEPER = 3;
/** A path with more segments is not looked for. */
const MOST_SEGMENTS = 32;
/** Of an id that is not recorded, so many others are tried. */
const MOST_TRIED = 50;
/** Of a recording in which nothing is alike, so many paths are looked at. */
const MOST_PATHS = 200;

const ACCOUNTS = 'accounts';

/** Explains why nothing at all is recorded for a method and path, by where something alike is. */
export function explainPath(store: RecordingStore, { request, rules }: SentRequest): Miss {
  const { method, path } = request;
  const orRecord = (what: string) => `${what}, or record this one: ${recordIt(store.name)}`;
  const miss = (reason: MissReason, why: string, hint: string, nearest?: Place): Miss => ({
    recording: store.name,
    reason,
    // Names of the recording's folders: redaction may have been set up since.
    text: redactText(
      `nothing is recorded for ${method} ${path} in the recording "${store.name}"${why}`,
      rules.redaction,
    ),
    hint: redactText(hint, rules.redaction),
    ...(nearest && { nearest: { method: nearest.method, path: redactPath(nearest.path, rules.redaction) } }),
  });

  const [first, ...others] = [...store.below(path).methods].sort();
  if (first !== undefined) {
    const why = `, but its path is for ${[first, ...others].join(', ')}`;
    return miss('other-method', why, orRecord('send a method that is recorded'), { method: first, path });
  }
  const sent = segmentsOf(path);
  const isLong = sent.length > MOST_SEGMENTS;
  const nearest = (isLong ? undefined : findOtherId(store, method, sent)) ?? nearestPath(store, method, sent);
  if (!nearest) {
    const hint = `record something first: ${recordIt(store.name)}; or give another name with --recording`;
    return miss('empty', ', which is empty', hint);
  }
  const why = `; the nearest is ${nearest.method} ${nearest.path}${whichSegment(nearest, sent)}`;
  return miss('not-recorded', why, `record it: ${recordIt(store.name)}`, nearest);
}

/** Where one segment alone differs, with what stands before it: `projects/42`. */
function whichSegment({ recorded, sent }: Alike, segments: readonly string[]): string {
  if (recorded.length !== 1 || sent.length !== 1) return '';
  const before = segments[segments.indexOf(sent[0] as string) - 1];
  const inPlace = (segment: string | undefined) => (before === undefined ? segment : `${before}/${segment}`);
  return `: recorded for ${inPlace(recorded[0])}, sent for ${inPlace(sent[0])}`;
}

interface Place {
  method: string;
  path: string;
}

/** A path of the recording that is like one for which nothing is recorded. */
interface Alike extends Place {
  /** What is between the segments that both paths begin and end with: of the recorded path, and of the one sent. */
  recorded: string[];
  sent: string[];
}

/** Looks for a path that differs in one segment, the last ones first: another project, another feature. */
function findOtherId(store: RecordingStore, method: string, sent: readonly string[]): Alike | undefined {
  for (let at = sent.length - 1; at >= 0; at--) {
    const { segments: names } = store.below(pathOf(sent.slice(0, at)));
    for (const name of nearestTo(sent[at] as string, [...names])) {
      const segments = sent.with(at, name);
      if (store.below(pathOf(segments)).methods.has(method)) return alike(method, segments, sent);
    }
  }
  return undefined;
}

/** The names most like an id, which is not among them: numbers are like numbers, and most like those next to them. */
function nearestTo(id: string, names: readonly string[]): string[] {
  const distance = (name: string) => {
    if (isNumber(name) !== isNumber(id)) return Number.MAX_VALUE;
    return isNumber(id) ? Math.abs(Number(name) - Number(id)) : 0;
  };
  const others = names.filter((name) => name !== id).sort();
  return others.sort((a, b) => distance(a) - distance(b)).slice(0, MOST_TRIED);
}

/** Of the methods and paths recorded, the one most alike; only the first are looked at. */
function nearestPath(store: RecordingStore, method: string, sent: readonly string[]): Alike | undefined {
  let nearest: Alike | undefined;
  let most = -1;
  let seen = 0;
  for (const candidate of store.places()) {
    if (++seen > MOST_PATHS) break;
    const found = alike(candidate.method, segmentsOf(candidate.path), sent);
    const score = 2 * (sent.length - found.sent.length) + (candidate.method === method ? 1 : 0);
    if (score <= most) continue;
    nearest = { ...found, path: candidate.path };
    most = score;
  }
  return nearest;
}

/** What differs between two paths. */
function alike(method: string, recorded: readonly string[], sent: readonly string[]): Alike {
  const most = Math.min(recorded.length, sent.length);
  let front = 0;
  while (front < most && recorded[front] === sent[front]) front++;
  let back = 0;
  while (back < most - front && recorded.at(-1 - back) === sent.at(-1 - back)) back++;
  const between = (segments: readonly string[]) => segments.slice(front, segments.length - back);
  return { method, path: pathOf(recorded), recorded: between(recorded), sent: between(sent) };
}

/**
 * Where a path for which nothing is recorded is looked up instead: a gate puts the target's path before what is sent without it, so
 * that a client's base URL ends with it or not, in a recording as in front of the target. Below which path the recording is, it
 * must leave no doubt of.
 *
 * @returns undefined where that is no other path
 */
export function pathOnOtherSideOfBase(
  store: RecordingStore,
  method: string,
  path: string,
): string | undefined {
  const segments = segmentsOf(path);
  const at = segments.indexOf(ACCOUNTS);
  if (at < 0 || segments.length > MOST_SEGMENTS) return undefined;
  const bases = basesOf(store);
  const [base, ...others] = bases.filter((one) => (one === '') !== (at === 0));
  if (base === undefined || others.length > 0) return undefined;
  const other = base + pathOf(segments.slice(at));
  // Where both are recorded, a miss is one of the path as it was sent.
  const isSentRecorded = bases.includes(pathOf(segments.slice(0, at)));
  return isSentRecorded && !store.below(other).methods.has(method) ? undefined : other;
}

/** What stands before `accounts` in a recording's paths. */
function basesOf(store: RecordingStore): string[] {
  const bases: string[] = [];
  const queue = [''];
  for (let at = 0; at < queue.length && at < MOST_FOLDERS; at++) {
    const base = queue[at] as string;
    const { segments } = store.below(base);
    if (segments.has(ACCOUNTS)) bases.push(base);
    if (segmentsOf(base).length > DEEPER) continue;
    for (const name of segments) if (name !== ACCOUNTS) queue.push(`${base}/${name}`);
  }
  return bases;
}

function isNumber(segment: string): boolean {
  return /^\d+$/.test(segment);
}

function segmentsOf(path: string): string[] {
  return path.replace(/^\//, '').split('/');
}

function pathOf(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment}`).join('');
}
