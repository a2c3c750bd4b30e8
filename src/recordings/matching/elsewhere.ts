import { MOST_NAMES } from '../store/folder-tree.ts';
import type { RecordingStore } from '../store/recording-store.ts';

/** A path of the recording that is like one for which nothing is recorded. */
export interface Alike {
  method: string;
  path: string;
  /** What is between the segments that both paths begin and end with: of the recorded path, and of the one sent. */
  recorded: string[];
  sent: string[];
  /** Where this is all that differs: what stands before `accounts`, or before what both paths end with: `/api/v2`. */
  basePath?: { recorded: string; sent: string };
  /** Where nothing behind it differs: what follows `accounts`. */
  account?: { recorded: string; sent: string };
}

/** Folders of the recording that are looked into, at most, and those below one of them that are looked into too. */
const MOST_FOLDERS = 200;
const MOST_BELOW = 50;
/** A base path may have so many segments more than the one that was sent. */
const DEEPER = 3;
/** Nobody's path has more segments: it is not looked for. */
const MOST_SEGMENTS = 32;
/** Of an id that is not recorded, so many others are tried. */
const MOST_TRIED = 50;

const ACCOUNTS = 'accounts';

/**
 * Looks for the method and the rest of a path under another base path or account. The recording's tree mirrors the paths,
 * so that only the folders near its root are looked into, and then the one place in question.
 */
export function findUnderOtherBase(store: RecordingStore, method: string, path: string): Alike | undefined {
  const sent = segmentsOf(path);
  if (sent.length > MOST_SEGMENTS) return undefined;
  let best: Alike | undefined;
  let most = 0;
  const queue: string[][] = [[]];
  for (let at = 0; at < queue.length && at < MOST_FOLDERS; at++) {
    const base = queue[at] as string[];
    const { segments: names } = store.below(pathOf(base));
    for (let from = 0; sent.length - from > most; from++) {
      if (!names.has(sent[from] as string) && names.size < MOST_NAMES) continue;
      const found = alike(method, [...base, ...sent.slice(from)], sent);
      if (!found.basePath && !found.account) continue;
      if (!store.below(found.path).methods.has(method)) continue;
      best = found;
      most = sent.length - from;
    }
    if (base.length >= sent.length - 2 + DEEPER) continue;
    for (const name of first(names, MOST_BELOW)) queue.push([...base, name]);
  }
  return best;
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
  const [base, ...others] = at === 0 ? bases.filter((one) => one !== '') : bases.filter((one) => one === '');
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

/** Looks for a path that differs in one segment, the last ones first: another project, another feature. */
export function findOtherId(store: RecordingStore, method: string, path: string): Alike | undefined {
  const sent = segmentsOf(path);
  if (sent.length > MOST_SEGMENTS) return undefined;
  for (let at = sent.length - 1; at >= 0; at--) {
    const { segments: names } = store.below(pathOf(sent.slice(0, at)));
    for (const name of nearestTo(sent[at] as string, names)) {
      const segments = sent.with(at, name);
      if (store.below(pathOf(segments)).methods.has(method)) return alike(method, segments, sent);
    }
  }
  return undefined;
}

/** What differs between two paths. */
export function alike(method: string, recorded: readonly string[], sent: readonly string[]): Alike {
  const most = Math.min(recorded.length, sent.length);
  let front = 0;
  while (front < most && recorded[front] === sent[front]) front++;
  let back = 0;
  while (back < most - front && recorded.at(-1 - back) === sent.at(-1 - back)) back++;
  const between = (segments: readonly string[]) => segments.slice(front, segments.length - back);
  const common = { method, path: pathOf(recorded), recorded: between(recorded), sent: between(sent) };
  const a = recorded.indexOf(ACCOUNTS);
  const b = sent.indexOf(ACCOUNTS);
  if (a < 0 || b < 0) {
    // One segment alone says little; and an id tells things apart that are in one place.
    if (back < 2 || [...common.recorded, ...common.sent].some(isNumber)) return common;
    const before = (segments: readonly string[]) => pathOf(segments.slice(0, segments.length - back));
    return { ...common, basePath: { recorded: before(recorded), sent: before(sent) } };
  }
  if (pathOf(recorded.slice(a + 2)) !== pathOf(sent.slice(b + 2))) return common;
  const basePath = { recorded: pathOf(recorded.slice(0, a)), sent: pathOf(sent.slice(0, b)) };
  const account = { recorded: recorded[a + 1] ?? '', sent: sent[b + 1] ?? '' };
  return {
    ...common,
    ...(basePath.recorded !== basePath.sent && { basePath }),
    ...(account.recorded !== account.sent && { account }),
  };
}

/** Of the first names those most like an id, which is not among them. */
function nearestTo(id: string, names: Iterable<string>): string[] {
  const others = first(names, MOST_NAMES)
    .filter((name) => name !== id)
    .map((name) => ({ name, far: distance(name, id) }));
  others.sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1));
  return others.slice(0, MOST_TRIED).map(({ name }) => name);
}

/** No more of what may be very many. */
function first(names: Iterable<string>, most: number): string[] {
  const found: string[] = [];
  for (const name of names) {
    if (found.length === most) break;
    found.push(name);
  }
  return found;
}

/** Of another id from the one that was sent: numbers are like numbers, and most like those next to them. */
function distance(other: string, id: string): number {
  if (isNumber(other) !== isNumber(id)) return Number.MAX_VALUE;
  return isNumber(id) ? Math.abs(Number(other) - Number(id)) : 0;
}

function isNumber(segment: string): boolean {
  return /^\d+$/.test(segment);
}

export function segmentsOf(path: string): string[] {
  return path.replace(/^\//, '').split('/');
}

function pathOf(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment}`).join('');
}
