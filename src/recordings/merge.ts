import type { Exchange } from '../model/exchange.ts';
import type { MergeMode } from './journal.ts';
import { formOf, keyOf, type MatchRules } from './match.ts';

/** How often a run has answered each request of a file by now, by a key for request and session. */
export type Counts = Readonly<Record<string, number>>;

export interface Merged {
  /** The very list that was given if nothing changes. */
  exchanges: readonly Exchange[];
  counts: Counts;
  /** The file has more for some request than the run has answered. */
  hasSurplus: boolean;
}

/**
 * Merges what a run recorded into what a file holds. In mode `all` the run's n-th answer to a request takes the place of the n-th that
 * the file has for it, and what has no place goes behind; if only noise differs, the former one stays. In mode `append` all goes
 * behind, unless it is there already. Merging the same batch again changes nothing.
 *
 * @param counts of the run, without this batch
 */
export function merge(
  before: readonly Exchange[],
  batch: readonly Exchange[],
  mode: MergeMode,
  counts: Counts,
  rules: MatchRules,
): Merged {
  if (mode === 'append') {
    const added = without(before, batch);
    const exchanges = added.length === 0 ? before : [...before, ...added];
    return { exchanges, counts, hasSurplus: false };
  }
  const after = before.slice();
  const places = new Map<string, number[]>();
  const addPlace = (key: string, place: number) => {
    if (places.get(key)?.push(place) === undefined) places.set(key, [place]);
  };
  for (const [place, exchange] of before.entries()) addPlace(slotOf(exchange, rules), place);
  const next = new Map(Object.entries(counts));
  let isChanged = false;
  for (const exchange of batch) {
    const key = slotOf(exchange, rules);
    const n = next.get(key) ?? 0;
    next.set(key, n + 1);
    const place = places.get(key)?.[n];
    if (place === undefined) addPlace(key, after.push(exchange) - 1);
    else if (differsByNoise(after[place] as Exchange, exchange)) continue;
    else after[place] = exchange;
    isChanged = true;
  }
  const hasSurplus = [...next].some(([key, n]) => (places.get(key)?.length ?? 0) > n);
  return { exchanges: isChanged ? after : before, counts: Object.fromEntries(next), hasSurplus };
}

/** Those of a batch that are not there, each as often as it is. */
function without(there: readonly Exchange[], batch: readonly Exchange[]): Exchange[] {
  const left = new Map<string, number>();
  for (const text of there.map((one) => JSON.stringify(one))) left.set(text, (left.get(text) ?? 0) + 1);
  return batch.filter((exchange) => {
    const text = JSON.stringify(exchange);
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}

/** At the end of a run of mode `all`: without what earlier runs recorded beyond its own answers to the same requests. */
export function withoutSurplus(
  exchanges: readonly Exchange[],
  counts: Counts,
  rules: MatchRules,
): readonly Exchange[] {
  const seen = new Map<string, number>();
  return exchanges.filter((exchange) => {
    const key = slotOf(exchange, rules);
    const n = seen.get(key) ?? 0;
    seen.set(key, n + 1);
    return n < (counts[key] ?? Number.POSITIVE_INFINITY);
  });
}

/** The same for exchanges of one request, as the rules have it, in one session. */
function slotOf({ request, meta }: Exchange, rules: MatchRules): string {
  const key = keyOf(formOf(request, rules));
  return Buffer.from(key, 'latin1').toString('base64url') + (meta.session ?? '');
}

/** Names of headers that are of one request or one moment: ids, traces, dates and times, and what caches on the way say of themselves. */
const NOISE =
  /^(?:age|cf-ray|date|expires|last-modified|server-timing|traceparent|tracestate|b3|x-runtime|x-timer|x-cloud-trace-context|x-amz-id-2|x-amz-cf-id|x-vercel-id|fly-request-id|.*(?:request|correlation|transaction|operation|invocation|trace|span)[-_]?id|x-(?:b3|datadog|amzn-trace|newrelic)-.*|.*(?:response|request|process|processing|service)-time(?:-ms)?|.*-latency|(?:x-)?rate-?limit-(?:remaining|reset|used).*|x-cache(?:-hits)?|x-served-by|cf-cache-status|report-to)$/;

/** Whether two exchanges are the same but for `meta`, headers of the response that are noise, and the ETag of a body that has not changed. */
export function differsByNoise(before: Exchange, after: Exchange): boolean {
  return essenceOf(before) === essenceOf(after);
}

function essenceOf({ request, response: { status, headers, body } }: Exchange): string {
  const lasting = Object.entries(headers).filter(([name]) => name !== 'etag' && !NOISE.test(name));
  // An ETag stands for the body, which is compared itself. That of an answer without a body, as to a HEAD, is all that there is.
  const tag = body === undefined ? (headers.etag ?? false) : headers.etag !== undefined;
  const { method, path, query } = request;
  return JSON.stringify([method, path, query, request.headers, request.body, status, lasting, body, tag]);
}
