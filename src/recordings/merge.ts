import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Exchange } from '../model/exchange.ts';
import { HIDDEN, removeQuietly, writeFileAtomically } from './disk.ts';
import { changeFile } from './files.ts';
import { type Counts, firstLine, type Segment, segmentFiles, segmentsIn } from './journal.ts';
import { formOf, keyOf, type MatchRules } from './match.ts';
import { byPlace, grouped, locationOf } from './names.ts';
import { type PlainExchange, toStoredExchange } from './plain-exchange.ts';

/** Merges what a run recorded into what a file holds. In mode `all` the run's n-th answer to a request takes the place of the n-th that
 *  the file has for it, and what has no place goes behind; if only noise differs, the former one stays. In mode `append` all goes
 *  behind, unless it is there already. Merging the same batch again changes nothing.
 *  @param counts of the run, without this batch @returns the very list that was given if nothing changes */
export function merge(
  before: readonly Exchange[],
  batch: readonly Exchange[],
  mode: Segment['mode'],
  counts: Counts,
  rules: MatchRules,
): Segment['progress'][string] & { exchanges: readonly Exchange[] } {
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
export function essenceOf({ request, response }: Exchange, rules: MatchRules): string {
  const { status, headers, body } = response;
  const lasting = Object.entries(headers).filter(([name]) => name !== 'etag' && !NOISE.test(name));
  // An ETag stands for the body, which is compared itself. It counts without a body (HEAD), and if requests are matched by it.
  const isAskedFor = ['if-match', 'if-none-match'].some((name) => rules.headers.has(name));
  const tag = body === undefined || isAskedFor ? (headers.etag ?? false) : headers.etag !== undefined;
  const { method, path, query } = request;
  return JSON.stringify([method, path, query, request.headers, request.body, status, lasting, body, tag]);
}

export interface MergeOptions {
  rules: MatchRules;
  /** At the end of a run, what earlier ones recorded beyond its own answers goes. */
  run: 'goes on' | 'ends' | 'was killed';
  /** Number of the segment that the run goes on in. */
  below?: number;
  /** Ends it early: the segments that are left stay. */
  signal?: AbortSignal;
}

/** Merges all segments of a recording into its files. Interrupted at any moment, doing it again gives the same.
 *  @returns how many exchanges they held
 *  @throws PatchgateError of the first file that could not be merged: all others are, and the segment stays with those behind it */
export async function mergeSegments(root: string, options: MergeOptions): Promise<number> {
  const { rules, run, below, signal } = options;
  const files = segmentFiles(join(root, HIDDEN), below);
  let progress: Segment['progress'] = {};
  let count = 0;
  for (const segment of segmentsIn(files)) {
    progress = segment.progress;
    // It was merged before.
    if (segment.frames.length === 0) continue;
    await mergeSegment(root, segment, options);
    await writeFileAtomically(segment.file, firstLine(segment));
    count += segment.frames.length;
  }
  for (const [location, { counts, hasSurplus }] of Object.entries(run === 'ends' ? progress : {})) {
    signal?.throwIfAborted();
    const change = (all: readonly Exchange[]) => withoutSurplus(all, counts, rules);
    if (hasSurplus) await changeFile(join(root, location), undefined, change);
    await setImmediate();
  }
  // The last one says how far the run is.
  for (const file of run === 'goes on' ? files.slice(0, -1) : files) removeQuietly(file);
  return count;
}

/** Merges one segment, file by file. Its progress becomes that after it. */
async function mergeSegment(root: string, segment: Segment, { rules, signal }: MergeOptions): Promise<void> {
  const { mode, frames, progress } = segment;
  let trouble: unknown;
  for (const batch of byPlace(frames).values()) {
    signal?.throwIfAborted();
    const { request: place } = batch[0] as PlainExchange;
    const location = locationOf(place.method, place.path);
    try {
      await changeFile(join(root, location), place, (before) => {
        const { counts = {} } = progress[location] ?? {};
        const { exchanges, ...after } = merge(before, batch.map(toStoredExchange), mode, counts, rules);
        if (mode === 'all') progress[location] = after;
        return exchanges;
      });
    } catch (error) {
      trouble ??= error;
    }
    await setImmediate();
  }
  if (trouble !== undefined) throw trouble;
}

/** What a reader finds in the journal: frames that no file has, by method and path, and how far their run was before. */
export function readWaiting(root: string) {
  const inodeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino;
  for (;;) {
    const files = segmentFiles(join(root, HIDDEN));
    const before = files.map(inodeOf);
    const segments = [...segmentsIn(files)];
    // The writer has merged meanwhile: a merged segment is another file, or gone.
    if (String(files.map(inodeOf)) !== String(before)) continue;
    const { mode = 'append', progress = {} } = segments.at(-1) ?? {};
    return { mode, progress, frames: byPlace(segments.flatMap(({ frames }) => frames)) };
  }
}
