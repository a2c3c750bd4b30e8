import { redactPath, redactText } from '../redaction/redact.ts';
import type { RecordingStore } from '../store/recording-store.ts';
import { type Alike, alike, findOtherId, findUnderOtherBase, segmentsOf } from './elsewhere.ts';
import { type Miss, type MissReason, recordIt } from './miss.ts';
import type { SentRequest } from './sent-request.ts';

/** Of a recording in which nothing is alike, so many paths are looked at. */
const MOST_PATHS = 200;

/** Explains why nothing at all is recorded for a method and path, by where something alike is. */
export function explainPath(store: RecordingStore, { request, rules }: SentRequest): Miss {
  const { method, path } = request;
  const nothing = `nothing is recorded for ${method} ${path} in the recording "${store.name}"`;
  const miss = (
    reason: MissReason,
    why: string,
    hint: string,
    nearest?: { method: string; path: string },
  ) => ({
    recording: store.name,
    reason,
    // Names of the recording's folders: redaction may have been set up since.
    text: redactText(`${nothing}${why}`, rules.redaction),
    hint: redactText(hint, rules.redaction),
    ...(nearest && { nearest: { method: nearest.method, path: redactPath(nearest.path, rules.redaction) } }),
  });

  const { methods } = store.below(path);
  if (methods.size > 0) {
    const others = [...methods].sort();
    const why = `, but its path is for ${others.join(', ')}`;
    return miss('other-method', why, orRecord('send a method that is recorded', store.name), {
      method: others[0] as string,
      path,
    });
  }
  const other = findUnderOtherBase(store, method, path);
  if (other) {
    const reason = other.basePath ? 'other-base-path' : 'other-account';
    return miss(reason, `, but ${underWhich(other)}`, orRecord(howToAsk(other), store.name), other);
  }
  const nearest = findOtherId(store, method, path) ?? nearestPath(store, method, path);
  if (!nearest) {
    const hint = `record something first: ${recordIt(store.name)}; or give another name with --recording`;
    return miss('empty', ', which is empty', hint);
  }
  const why = `; the nearest is ${nearest.method} ${nearest.path}${whichSegment(nearest, path)}`;
  return miss('not-recorded', why, `record it: ${recordIt(store.name)}`, nearest);
}

function orRecord(what: string, recording: string): string {
  return `${what}, or record this one: ${recordIt(recording)}`;
}

function underWhich({ basePath, account }: Alike): string {
  const said: string[] = [];
  if (basePath)
    said.push(`under another base path: recorded ${basePath.recorded || '/'}, sent ${basePath.sent || '/'}`);
  if (account) said.push(`for another account: recorded ${account.recorded}, sent ${account.sent}`);
  return `the same is ${said.join('; and ')}`;
}

function howToAsk({ basePath, account }: Alike): string {
  const said: string[] = [];
  if (basePath)
    said.push(
      `end the client's base URL with ${basePath.recorded || '/'} in place of ${basePath.sent || '/'}`,
    );
  if (account) said.push(`ask for the account ${account.recorded}`);
  return said.join(' and ');
}

/** Where one segment alone differs, with what stands before it: `projects/42`. */
function whichSegment({ recorded, sent }: Alike, path: string): string {
  if (recorded.length !== 1 || sent.length !== 1) return '';
  const segments = segmentsOf(path);
  const before = segments[segments.indexOf(sent[0] as string) - 1];
  const inPlace = (segment: string | undefined) => (before === undefined ? segment : `${before}/${segment}`);
  return `: recorded for ${inPlace(recorded[0])}, sent for ${inPlace(sent[0])}`;
}

/** Of the methods and paths recorded, the one most alike; only the first are looked at. */
function nearestPath(store: RecordingStore, method: string, path: string): Alike | undefined {
  const sent = segmentsOf(path);
  let nearest: Alike | undefined;
  let most = -1;
  let seen = 0;
  for (const candidate of store.places()) {
    const found = alike(candidate.method, segmentsOf(candidate.path), sent);
    const score = 2 * (sent.length - found.sent.length) + (candidate.method === method ? 1 : 0);
    if (score > most) {
      nearest = { ...found, path: candidate.path };
      most = score;
    }
    if (++seen >= MOST_PATHS) break;
  }
  return nearest;
}
