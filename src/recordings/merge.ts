import type { Exchange } from '../model/exchange.ts';
import { formOf, keyOf, type MatchRules } from './match.ts';
import { grouped } from './names.ts';

/** `all`: the n-th answer to a request takes the place of the n-th that the file has. `append`: all goes behind. */
export type MergeMode = 'all' | 'append';

/** How often a run has answered each request of a file by now, by a key for request and session. */
export type Counts = Readonly<Record<string, number>>;

/** How far a run of mode `all` is with each file, by the file's place in the recording. `hasSurplus`: the file has more for some request
 *  than the run has answered. */
export type Progress = Record<string, { counts: Counts; hasSurplus: boolean }>;

/**
 * Merges what a run recorded into what a file holds. In mode `all` the run's n-th answer to a request takes the place of the n-th that
 * the file has for it, and what has no place goes behind; if only noise differs, the former one stays. In mode `append` all goes
 * behind, unless it is there already. Merging the same batch again changes nothing.
 *
 * @param counts of the run, without this batch @returns the very list that was given if nothing changes
 */
export function merge(
  before: readonly Exchange[],
  batch: readonly Exchange[],
  mode: MergeMode,
  counts: Counts,
  rules: MatchRules,
): Progress[string] & { exchanges: readonly Exchange[] } {
  if (mode === 'append') {
    const there = grouped(before, (exchange) => JSON.stringify(exchange));
    const added = batch.filter((exchange) => !there.get(JSON.stringify(exchange))?.pop());
    const exchanges = added.length === 0 ? before : [...before, ...added];
    return { exchanges, counts, hasSurplus: false };
  }
  const after = before.slice();
  const places = grouped(before.keys(), (place) => slotOf(before[place] as Exchange, rules));
  const next = { ...counts };
  for (const exchange of batch) {
    const key = slotOf(exchange, rules);
    const n = next[key] ?? 0;
    next[key] = n + 1;
    const place = places.get(key)?.[n] ?? after.length;
    const there = after[place];
    if (!there || essenceOf(there, rules) !== essenceOf(exchange, rules)) after[place] = exchange;
  }
  const hasSurplus = Object.entries(next).some(([key, n]) => (places.get(key)?.length ?? 0) > n);
  const isSame = after.length === before.length && after.every((one, place) => one === before[place]);
  return { exchanges: isSame ? before : after, counts: next, hasSurplus };
}

/** At the end of a run of mode `all`: without what earlier runs recorded beyond its own answers to the same requests. */
export function withoutSurplus(exchanges: readonly Exchange[], counts: Counts, rules: MatchRules) {
  const bySlot = grouped(exchanges, (exchange) => slotOf(exchange, rules));
  const surplus = new Set([...bySlot].flatMap(([key, own]) => own.slice(counts[key] ?? own.length)));
  return exchanges.filter((exchange) => !surplus.has(exchange));
}

/** The same for exchanges of one request, as the rules have it, in one session. */
function slotOf({ request, meta }: Exchange, rules: MatchRules): string {
  return keyOf(formOf(request, rules)) + (meta.session ?? '');
}

/** Names of headers that are of one request or one moment: ids, traces, dates and times, and what caches on the way say of themselves. */
const NOISE =
  /^(?:age|cf-ray|date|expires|last-modified|server-timing|traceparent|tracestate|sentry-trace|baggage|b3|akamai-grn|rndr-id|x-runtime|x-timer|x-varnish|x-timestamp|x-fb-debug|x-azure-ref|x-msedge-ref|x-guploader-uploadid|x-cloud-trace-context|x-amz-id-2|x-amz-cf-id|x-vercel-id|fly-request-id|.*(?:req|request|correlation|invocation|trace|span)[-_]?id|x-(?:b3|datadog|amzn-trace|newrelic)-.*|.*(?:response|request|process|processing|service|server|execution)-(?:time|duration|ms)(?:-ms)?|x-(?:duration|elapsed)|.*-latency|ratelimit|(?:.*-)?rate-?limit-(?:.*-)?(?:remaining|reset|used).*|x-cache(?:-hits)?|x-served-by|cf-cache-status|report-to)$/;

/** The same for two exchanges that differ by noise alone: `meta`, such headers of the response, and the ETag of a body that has not changed. */
export function essenceOf(
  { request, response: { status, headers, body } }: Exchange,
  rules: MatchRules,
): string {
  const lasting = Object.entries(headers).filter(([name]) => name !== 'etag' && !NOISE.test(name));
  // An ETag stands for the body, which is compared itself. That of an answer without a body, as to a HEAD, is all that there is, and later requests may be matched by it.
  const isAskedFor = ['if-match', 'if-none-match'].some((name) => rules.headers.has(name));
  const tag = body === undefined || isAskedFor ? (headers.etag ?? false) : headers.etag !== undefined;
  const { method, path, query } = request;
  return JSON.stringify([method, path, query, request.headers, request.body, status, lasting, body, tag]);
}
