import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PatchgateError } from '../../../src/errors.ts';
import { Waits } from '../../../src/server/faults/faults.ts';
import { Delayed } from '../../../src/server/faults/inject.ts';
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

function start(delay: number) {
  const client = new Client();
  const sink = new Delayed(client, { rule: {}, text: 'T', delay, wait: new Waits().wait });
  let resumed = 0;
  sink.head({ status: 200, message: '', headers: [] }, { resume: () => void resumed++ }, 'target');
  return { client, sink, stop: () => sink.stop(), resumed: () => resumed };
}

const bytes = (text: string) => Buffer.from(text);
const HEAD = 'head 200 Patchgate-Fault T';

describe('latency', () => {
  it('keeps all back for so long, and of a long answer the sender, too', () => {
    const { client, sink, resumed } = start(100);
    const long = 'a'.repeat(65_536);
    expect(sink.data(bytes('ab'))).toBe(true);
    expect(sink.data(bytes(long))).toBe(false);
    vi.advanceTimersByTime(99);
    expect([client.got, resumed()]).toEqual([[], 0]);
    vi.advanceTimersByTime(1);
    expect([client.got, resumed()]).toEqual([[HEAD, 'data ab', `data ${long}`], 1]);
    expect(sink.data(bytes('cd'))).toBe(true);
    sink.end(bytes('ef'));
    expect(client.got.slice(3)).toEqual(['data cd', 'end ef']);
  });

  it('does not keep what has failed before its head', () => {
    const client = new Client();
    const sink = new Delayed(client, { rule: {}, text: 'T', delay: 100, wait: new Waits().wait });
    sink.fail(new PatchgateError('target-unreachable', 'no'));
    expect(client.got).toEqual(['fail no']);
  });

  it('hands on what came before it failed', () => {
    const { client, sink } = start(100);
    sink.data(bytes('ab'));
    sink.fail(new PatchgateError('target-unreachable', 'no'));
    vi.advanceTimersByTime(100);
    vi.runAllTimers();
    expect(client.got).toEqual([HEAD, 'data ab', 'fail no']);
  });

  it('is over where the client is gone', () => {
    const { client, sink, stop } = start(100);
    sink.data(bytes('ab'));
    stop();
    expect(vi.getTimerCount()).toBe(0);
    expect(sink.data(bytes('cd'))).toBe(true);
    sink.end();
    vi.runAllTimers();
    expect(client.got).toEqual([]);
  });

  it('keeps the sender back while the connection is full', () => {
    const { client, sink } = start(0);
    client.isFull = true;
    expect(sink.data(bytes('ab'))).toBe(false);
    client.isFull = false;
    expect(sink.data(bytes('cd'))).toBe(true);
    expect(client.got).toEqual([HEAD, 'data ab', 'data cd']);
  });
});
