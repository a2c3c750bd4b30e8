import { copyFileSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type Exchange,
  FAILURES,
  type FailureKind,
  type StoredHeaders,
} from '../../../src/model/exchange.ts';
import { DEFAULT_RULES } from '../../../src/recordings/matching/match-rules.ts';
import type { PlainExchange } from '../../../src/recordings/plain-exchange.ts';
import { ExchangeFile } from '../../../src/recordings/store/exchange-file.ts';
import { openStore } from '../../../src/recordings/store/open-store.ts';
import { PathExchanges, sameButNoise } from '../../../src/recordings/store/path-exchanges.ts';
import type { RecordingStore } from '../../../src/recordings/store/recording-store.ts';
import { exchange, PROJECT_PATH, plainOf } from '../../support/exchanges.ts';
import { turn } from '../../support/recordings.ts';

const folder = mkdtempSync(join(tmpdir(), 'patchgate-again-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What happens in a run: an exchange of one of three requests, answered in one of three ways or not; or all is compacted. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ request: fc.nat(2), answer: fc.nat(3), session: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.constant('compact' as const) },
);
const run = fc.record({ replaces: fc.boolean(), steps: fc.array(step, { maxLength: 12 }) });

describe('a journal that is applied again', () => {
  it('changes nothing, however far its lines had got into the files', { tags: 'slow' }, async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 3 }), async (runs) => {
        const name = `r${++count}`;
        const left: string[] = [];
        for (const [i, { replaces, steps }] of runs.entries()) {
          const store = await openStore(folder, name, { writable: true, replaces });
          for (const [j, one] of steps.entries()) {
            if (one !== 'compact') append(store, one, 100 * i + j);
            else {
              await turn();
              const before = save(name, `${name}-${i}-${j}-journal`);
              await store.flush();
              // Killed after the files were written, and before the journal was emptied.
              left.push(copy(name, `${name}-${i}-${j}`, before));
            }
            await turn();
          }
          left.push(copy(name, `${name}-${i}-killed`));
          await store.close();
          for (const other of left.splice(0)) {
            const again = await openStore(folder, other, { writable: true });
            await again.close();
            const first = filesText(other);
            // Where a place is vacant in the middle of a run is known in memory alone.
            if (other.endsWith('killed')) expect(sequencesOf(first)).toEqual(sequencesOf(filesText(name)));
            else expect(first).toBe(filesText(`${other}-as-it-was`));
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

function append(
  store: RecordingStore,
  { request, answer, session }: { request: number; answer: number; session: number },
  time: number,
) {
  const plain = plainOf(
    exchange({
      body: { json: { request } },
      answer: { json: answer },
      recordedAt: new Date(Date.UTC(2026, 0, 1) + time * 1000).toISOString(),
      ...(session === 1 && { session: 'one' }),
    }),
  );
  const failed = {
    ...plain,
    response: { status: 0, headers: [], body: Buffer.alloc(0) },
    failure: 'timeout' as const,
  };
  store.append(answer === 3 ? failed : plain);
}

/** Keeps a copy of a recording's journal. */
function save(name: string, as: string): string | undefined {
  const journal = join(folder, name, '.patchgate/journal.ndjson');
  if (!existsSync(journal)) return undefined;
  copyFileSync(journal, join(folder, as));
  return join(folder, as);
}

/** A copy of a recording, as it is or with a journal of before; and one more to compare with. */
function copy(name: string, as: string, journal?: string): string {
  cpSync(join(folder, name), join(folder, as), { recursive: true });
  rmSync(join(folder, as, '.patchgate/lock'), { force: true });
  if (journal !== undefined) {
    cpSync(join(folder, name), join(folder, `${as}-as-it-was`), { recursive: true });
    copyFileSync(journal, join(folder, as, '.patchgate/journal.ndjson'));
  } else if (!as.endsWith('killed'))
    cpSync(join(folder, name), join(folder, `${as}-as-it-was`), { recursive: true });
  return as;
}

function filesText(name: string): string {
  const files = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json') && !dirname(file).includes('.patchgate'))
    .sort();
  return files.map((file) => `${file}\n${readFileSync(join(folder, name, file), 'utf8')}`).join('\n');
}

/** What was answered to each request in each session, in order. */
function sequencesOf(text: string): Record<string, unknown[]> {
  const sequences: Record<string, unknown[]> = {};
  if (text === '') return sequences;
  const { exchanges } = JSON.parse(text.slice(text.indexOf('\n'))) as { exchanges: Exchange[] };
  for (const { request, response, failure, meta } of exchanges) {
    const key = JSON.stringify([request, meta.session]);
    sequences[key] = [...(sequences[key] ?? []), response ?? failure];
  }
  return sequences;
}

let seconds = 0;

/** `ok 1`, `other 2`: the answer to a request. `ok timeout`: its failure. Each at a time of its own. */
function plainFrom(text: string): PlainExchange {
  const [query = '', what = ''] = text.split(' ');
  const plain = plainOf(
    exchange({ query, headers: { 'content-type': 'text/plain' }, answer: { text: what } }),
  );
  const startedAt = 1_790_000_000_000 + 1000 * ++seconds;
  if (!FAILURES.some((kind) => kind === what)) return { ...plain, startedAt };
  const response = { status: 0, headers: [], body: Buffer.alloc(0) };
  return { ...plain, response, failure: what as FailureKind, startedAt };
}

function textOf({ request, response, failure }: Exchange): string {
  const { text } = (response?.body ?? {}) as { text?: string };
  return `${request.query} ${failure?.kind ?? text}`;
}

/** What a method and path has after a run in mode `all` behind what is there. */
function runAll(before: readonly Exchange[], run: readonly PlainExchange[], refreshMeta = false): Exchange[] {
  const file = new ExchangeFile(join(folder, 'none', 'PATCH.json'), { method: 'PATCH', path: PROJECT_PATH });
  file.readNow = () => before;
  const exchanges = new PathExchanges(file, { rules: DEFAULT_RULES, refreshMeta });
  exchanges.load();
  for (const plain of run) exchanges.add(plain, true);
  return exchanges.all.map(({ exchange }) => exchange);
}

describe('failures', () => {
  it.each([
    ['ok timeout', 'ok 1'],
    ['ok timeout', 'ok timeout', 'ok refused', 'ok 1', 'ok 2'],
    ['ok 1', 'ok timeout', 'ok 2', 'ok reset', 'ok reset'],
    ['ok timeout', 'other refused', 'ok 1', 'other refused', 'other 1', 'ok reset', 'other 2'],
    ['ok timeout', 'ok timeout'],
  ])('the same in another run change nothing, not even the times: %s, …', (...texts) => {
    const first = runAll([], texts.map(plainFrom));
    expect(first.map(textOf)).toEqual(texts);
    expect(runAll(first, texts.map(plainFrom))).toEqual(first);
  });

  it.each([
    [['ok 1', 'ok 2'], ['ok timeout'], ['ok 1', 'ok 2', 'ok timeout']],
    [['ok 1', 'ok timeout'], ['ok timeout'], ['ok 1', 'ok timeout']],
    [['ok 1', 'ok timeout'], ['ok reset'], ['ok 1', 'ok reset']],
    [
      ['ok 1', 'ok timeout'],
      ['ok timeout', 'ok reset'],
      ['ok 1', 'ok timeout', 'ok reset'],
    ],
    [['ok 1', 'other 1'], ['ok reset'], ['ok 1', 'other 1', 'ok reset']],
  ])('never replace an answer, and only one another: %s, then %s', (before, run, after) => {
    expect(runAll(runAll([], before.map(plainFrom)), run.map(plainFrom)).map(textOf)).toEqual(after);
  });

  it.each([
    [['ok 1', 'ok timeout'], ['ok 2'], ['ok 2']],
    [['ok timeout', 'other 1'], ['ok 2'], ['ok 2', 'other 1']],
    [
      ['ok 1', 'other 1', 'ok 2'],
      ['ok timeout', 'ok 3'],
      ['ok timeout', 'other 1', 'ok 3'],
    ],
    [
      ['ok timeout', 'ok timeout'],
      ['ok timeout', 'ok 1'],
      ['ok timeout', 'ok 1'],
    ],
  ])('of earlier runs go with the first answer, those before it in its run stay: %s, then %s', (...parts) => {
    const [before, run, after] = parts;
    expect(runAll(runAll([], before.map(plainFrom)), run.map(plainFrom)).map(textOf)).toEqual(after);
  });
});

describe('what comes again', () => {
  const before = { ...exchange({ body: { json: { a: 1, b: 2 } } }), note: 'mine' } as Exchange;
  const again = { ...plainOf(before), startedAt: Date.parse('2027-01-01T00:00:00.000Z'), durationMs: 99 };

  it('keeps its time, and what somebody wrote beside it', () => {
    expect(runAll([before], [again])).toEqual([before]);
  });

  it('takes the new time where that is asked for', () => {
    const meta = { recordedAt: '2027-01-01T00:00:00.000Z', durationMs: 99 };
    expect(runAll([before], [again], true)).toEqual([{ ...before, meta }]);
  });

  it('is known however it is written, in its session', () => {
    const written = (text: string, session?: string) =>
      plainOf(exchange({ body: { text }, answer: { text }, ...(session !== undefined && { session }) }));
    const run = [written('{ "b": 2, "a": 1 }'), written('{"a":1,"b":2}'), written('{"b":2,"a":1}', 'one')];
    expect(runAll([before], run)).toHaveLength(3);
    expect(runAll([before], run.slice(0, 1))).toHaveLength(1);
    expect(runAll([before], run.slice(2))).toHaveLength(2);
  });
});

const BASE: Exchange = exchange({ answer: { json: { a: 1 } } });

function answered(headers: StoredHeaders, more: Partial<NonNullable<Exchange['response']>> = {}): Exchange {
  return { ...BASE, response: { ...(BASE.response as NonNullable<Exchange['response']>), ...more, headers } };
}

describe('what was recorded again', () => {
  it.each([
    'X-Request-Id',
    'x-correlation-id',
    'x-amzn-requestid',
    'x-amz-request-id',
    'x-amzn-trace-id',
    'traceparent',
    'x-b3-traceid',
    'x-datadog-parent-id',
    'cf-ray',
    'expires',
    'last-modified',
    'age',
    'x-response-time',
    'server-timing',
    'x-ratelimit-remaining',
    'x-ratelimit-remaining-requests',
    'x-rate-limit-reset',
    'x-envoy-upstream-service-time',
    'x-kong-proxy-latency',
    'x-cache',
    'x-served-by',
    'report-to',
    'etag',
  ])('is the same where %s is another', (name) => {
    const of = (value: string) => answered({ 'content-type': 'a/b', [name.toLowerCase()]: value });
    expect(sameButNoise(of('1'), of('2'))).toBe(true);
  });

  it('is the same at another time', () => {
    const meta = { recordedAt: '2027-01-01T00:00:00.000Z', durationMs: 99 };
    expect(sameButNoise(BASE, { ...BASE, meta })).toBe(true);
  });

  it.each<[string, Exchange, Exchange]>([
    ['another header', answered({ location: '/1' }), answered({ location: '/2' })],
    ['the id of a resource', answered({ 'x-project-id': '1' }), answered({ 'x-project-id': '2' })],
    ['another status', answered({}), answered({}, { status: 201 })],
    ['another body', answered({}), answered({}, { body: { json: { a: 2 } } })],
    ['a further header', answered({}), answered({ 'x-a': '1' })],
    ['an ETag where there was none', answered({}), answered({ etag: '"1"' })],
    ['a failure', BASE, { ...BASE, failure: { kind: 'truncated' } }],
    ['a request body', BASE, { ...BASE, request: { ...BASE.request, body: { text: 'x' } } }],
  ])('is another: %s', (_, before, after) => {
    expect(sameButNoise(before, after)).toBe(false);
  });

  it('is another where an ETag is all that there is of a body', () => {
    const head = (etag: string) => {
      const { body: _, ...response } = answered({ etag }).response as NonNullable<Exchange['response']>;
      return { ...BASE, response };
    };
    expect(sameButNoise(head('"1"'), head('"1"'))).toBe(true);
    expect(sameButNoise(head('"1"'), head('"2"'))).toBe(false);
  });
});
