import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PatchgateError } from '../../../src/errors.ts';
import type { FaultRule } from '../../../src/model/fault.ts';
import type { Fault } from '../../../src/server/faults/fault-list.ts';
import { Waits } from '../../../src/server/faults/faults.ts';
import { onItsWay } from '../../../src/server/faults/inject.ts';
import type { Flow, ResponseSink } from '../../../src/upstreams/upstream.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What reaches the client, one text for each call. */
class Client implements ResponseSink {
  readonly got: string[] = [];
  flow: Flow | undefined;
  /** Its connection takes no more. */
  isFull = false;
  whole(): void {
    this.got.push('whole');
  }
  head({ status, headers }: { status: number; headers: readonly string[] }, flow: Flow): void {
    this.flow = flow;
    this.got.push(`head ${status} ${headers.join(' ')}`);
  }
  data(chunk: Buffer): boolean {
    this.got.push(`data ${chunk}`);
    return !this.isFull;
  }
  end(last?: Buffer): void {
    this.got.push(last ? `end ${last}` : 'end');
  }
  fail(error: PatchgateError): void {
    this.got.push(`fail ${error.message}`);
  }
}

function start(rule: FaultRule, delay: Fault['delay'] = 0, headers: string[] = [], tookMs?: number) {
  const client = new Client();
  const cancel = vi.fn();
  const way = onItsWay({ rule, text: 'T', delay, wait: new Waits().wait }, client, cancel);
  let resumed = 0;
  const flow = { resume: () => void resumed++ };
  way.sink.head(
    { status: 200, message: '', headers, ...(tookMs !== undefined && { tookMs }) },
    flow,
    'target',
  );
  const { sink, stop } = way;
  return { client, sink, stop, cancel, resumed: () => resumed };
}

const bytes = (text: string) => Buffer.from(text);
const HEAD = 'head 200 Patchgate-Fault T';
const CUT = 'fail the answer was cut off by a fault';

describe('latency', () => {
  it('keeps all back for so long, and of a long answer the sender, too', () => {
    const { client, sink, resumed } = start({}, 100);
    const long = 'a'.repeat(65_536);
    expect(sink.data(bytes('ab'))).toBe(true);
    expect(sink.data(bytes(long))).toBe(false);
    vi.advanceTimersByTime(99);
    expect([client.got, resumed()]).toEqual([[], 0]);
    vi.advanceTimersByTime(1);
    expect([client.got, resumed()]).toEqual([[HEAD, `data ab${long}`], 1]);
    expect(sink.data(bytes('cd'))).toBe(true);
    sink.end(bytes('ef'));
    expect(client.got.slice(2)).toEqual(['data cd', 'end ef']);
  });

  it.each([
    [5, 5],
    [undefined, 0],
    [1e12, 2_147_483_647],
  ])('recorded is what it took then: %s ms', (tookMs, waits) => {
    const { client, sink } = start({}, 'recorded', [], tookMs);
    sink.end();
    if (waits > 0) expect(client.got).toEqual([]);
    vi.advanceTimersByTime(waits);
    expect(client.got).toEqual([HEAD, 'end']);
  });

  it('does not keep what has failed before its head', () => {
    const client = new Client();
    const { sink } = onItsWay(
      { rule: {}, text: 'T', delay: 100, wait: new Waits().wait },
      client,
      () => undefined,
    );
    sink.fail(new PatchgateError('target-unreachable', 'no'));
    expect(client.got).toEqual(['fail no']);
  });

  it('hands on what came before it failed', () => {
    const { client, sink } = start({}, 100);
    sink.data(bytes('ab'));
    sink.fail(new PatchgateError('target-unreachable', 'no'));
    vi.advanceTimersByTime(100);
    vi.runAllTimers();
    expect(client.got).toEqual([HEAD, 'data ab', 'fail no']);
  });

  it('is over where the client is gone', () => {
    const { client, sink, stop } = start({}, 100);
    sink.data(bytes('ab'));
    stop();
    expect(vi.getTimerCount()).toBe(0);
    expect(sink.data(bytes('cd'))).toBe(true);
    sink.end();
    vi.runAllTimers();
    expect(client.got).toEqual([]);
  });

  it('keeps the sender back while the connection is full', () => {
    const { client, sink, resumed } = start({}, 0);
    client.isFull = true;
    expect(sink.data(bytes('ab'))).toBe(false);
    expect(sink.data(bytes('cd'))).toBe(false);
    expect(client.got).toEqual([HEAD, 'data ab']);
    client.isFull = false;
    client.flow?.resume();
    expect([client.got.slice(2), resumed()]).toEqual([['data cd'], 1]);
  });
});

describe('a body that trickles', () => {
  it('comes byte by byte where it is slow', () => {
    const { client, sink } = start({ trickle: 2 });
    sink.end(bytes('abc'));
    expect(client.got).toEqual([HEAD, 'data a']);
    vi.advanceTimersByTime(499);
    expect(client.got).toHaveLength(2);
    vi.advanceTimersByTime(1);
    vi.advanceTimersByTime(500);
    expect(client.got.slice(2)).toEqual(['data b', 'end c']);
  });

  it('comes in pieces ten times a second where it is faster, and keeps the sender of a long one back', () => {
    const { client, sink, resumed } = start({ trickle: 30 });
    expect(sink.data(bytes('abcdef'))).toBe(true);
    expect(sink.data(Buffer.alloc(100_000))).toBe(false);
    vi.advanceTimersByTime(200);
    expect(client.got.slice(0, 3)).toEqual([HEAD, 'data abc', 'data def']);
    expect(resumed()).toBe(0);
  });
});

describe('a body that is cut', () => {
  const run = (rule: FaultRule, headers: string[], ...chunks: string[]) => {
    const { client, sink } = start(rule, 0, headers);
    for (const chunk of chunks.slice(0, -1)) sink.data(bytes(chunk));
    sink.end(bytes(chunks.at(-1) ?? ''));
    vi.runAllTimers();
    return client.got.slice(1);
  };
  const length = (bytes: number) => ['content-length', String(bytes)];

  it.each<[string, FaultRule, string[], string[], string[]]>([
    [
      'after so many bytes',
      { truncate: { bytes: 3 } },
      length(6),
      ['ab', 'cd', 'ef'],
      ['data ab', 'data c', CUT],
    ],
    ['at the end of a piece', { truncate: { bytes: 2 } }, length(4), ['ab', 'cd'], ['data ab', CUT]],
    ['after percent of its length', { truncate: { percent: 50 } }, length(6), ['abcdef'], ['data abc', CUT]],
    ['before its last byte at least', { truncate: { bytes: 100 } }, length(4), ['abcd'], ['data abc', CUT]],
    ['before its first byte', { truncate: { bytes: 0 } }, length(4), ['abcd'], ['data ', CUT]],
    [
      'where nobody knows its length',
      { truncate: { bytes: 3 } },
      [],
      ['ab', 'cd', 'ef'],
      ['data ab', 'data c', CUT],
    ],
    [
      'at its end, where it is shorter',
      { truncate: { bytes: 9 } },
      [],
      ['ab', 'cd'],
      ['data ab', 'data cd', CUT],
    ],
    ['after percent of what came', { truncate: { percent: 50 } }, [], ['ab', 'cd', 'ef'], ['data abc', CUT]],
    [
      'and trickles till then',
      { truncate: { bytes: 2 }, trickle: 1 },
      length(4),
      ['abcd'],
      ['data a', 'data b', CUT],
    ],
  ])('is so %s', (_, rule, headers, chunks, got) => {
    expect(run(rule, headers, ...chunks)).toEqual(got);
  });

  it('is whole where there is none', () => {
    expect(run({ truncate: { bytes: 0 } }, length(6))).toEqual(['end ']);
    expect(run({ truncate: { percent: 50 } }, [])).toEqual(['end ']);
  });

  it('lets the rest come, but not for ever', () => {
    const { client, sink, cancel } = start({ truncate: { bytes: 1 } }, 0, []);
    expect(sink.data(bytes('ab'))).toBe(true);
    expect(sink.data(bytes('cd'))).toBe(true);
    vi.advanceTimersByTime(1999);
    expect([client.got, cancel.mock.calls]).toEqual([[HEAD, 'data a'], []]);
    vi.advanceTimersByTime(2);
    expect([client.got.at(-1), cancel.mock.calls.length]).toEqual([CUT, 1]);
  });

  it('takes a measured part of a mebibyte at most', () => {
    const { client, sink } = start({ truncate: { percent: 10 } }, 0, []);
    const chunk = Buffer.alloc(65_536, 'a');
    for (let i = 0; i < 16; i++) sink.data(chunk);
    expect(client.got.at(-1)).toHaveLength('data '.length + 104_857);
  });

  it('is over where the client is gone', () => {
    const { sink, stop } = start({ truncate: { bytes: 1 } }, 0, []);
    sink.data(bytes('ab'));
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
