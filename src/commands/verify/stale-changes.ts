import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../../json/json.ts';
import type { Exchange, RecordedResponse } from '../../model/exchange.ts';
import { jsonOf } from '../../recordings/body.ts';
import { restsOn } from '../../recordings/drift/rests-on.ts';
import type { RecordingStore } from '../../recordings/store/recording-store.ts';
import { isReading } from './sendable.ts';

/** Recorded changes whose bodies may have been made of answers that the recording no longer has. */
export interface StaleChanges {
  count: number;
  /** Where they went. */
  paths: ReadonlySet<string>;
  /** `""` is the default one. */
  sessions: ReadonlySet<string>;
}

/** A read whose answer was replaced; absent: that was no JSON, or had another status. */
interface Replaced {
  json?: { before: JsonValue; now: JsonValue };
}

/**
 * No answer of today changes what a client has sent: one that reads, changes and writes back would send something else today. A
 * change may rest on reads of its own path, and of the list that its record is in.
 *
 * @param accepted exchanges as they are in the recording, and as they are to be
 * @throws PatchgateError `bad-recording`, `cannot-read`
 */
export function staleChanges(
  store: RecordingStore,
  accepted: Iterable<{ before: Exchange; after: Exchange }>,
): StaleChanges {
  const replaced = replacedReads(accepted);
  const found = { count: 0, paths: new Set<string>(), sessions: new Set<string>() };
  if (replaced.size === 0) return found;
  for (const { method, path } of store.places()) {
    if (isReading(method)) continue;
    const own = replaced.get(path) ?? [];
    const inList = replaced.get(posix.dirname(path)) ?? [];
    if (own.length + inList.length === 0) continue;
    for (const { exchange } of store.exchanges(method, path).all) {
      const { request, meta } = exchange;
      const { body } = request;
      if (!body) continue;
      const sent = jsonOf(body);
      const isStale =
        own.some(({ json }) => !json || sent === undefined || restsOn(json.before, json.now, sent)) ||
        inList.some(
          ({ json }) =>
            json && sent !== undefined && restsOn(json.before, json.now, sent, posix.basename(path)),
        );
      if (!isStale) continue;
      found.count++;
      found.paths.add(path);
      found.sessions.add(meta.session ?? '');
    }
  }
  return found;
}

/** By path; of those that were replaced alike, one. */
function replacedReads(accepted: Iterable<{ before: Exchange; after: Exchange }>): Map<string, Replaced[]> {
  const replaced = new Map<string, Replaced[]>();
  const seen = new Set<RecordedResponse>();
  for (const { before, after } of accepted) {
    const { method, path } = before.request;
    const [was, is] = [before.response, after.response];
    // One answer takes the places of several only where these are equal.
    if (!isReading(method) || !was || !is || seen.has(is)) continue;
    seen.add(is);
    if (was.status === is.status && isDeepStrictEqual(was.body, is.body)) continue;
    replaced.set(path, [...(replaced.get(path) ?? []), replacedOf(was, is)]);
  }
  return replaced;
}

function replacedOf(was: RecordedResponse, is: RecordedResponse): Replaced {
  const before = was.body && jsonOf(was.body);
  const now = is.body && jsonOf(is.body);
  if (was.status !== is.status || before === undefined || now === undefined) return {};
  return { json: { before, now } };
}
