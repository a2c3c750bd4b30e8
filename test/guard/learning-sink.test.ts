import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AnswerUpdate, LearningSink } from '../../src/guard/learning-sink.ts';
import type { ResponseSink } from '../../src/upstreams/upstream.ts';

const OK = { status: 200, message: '', headers: ['Content-Length', '2'] };
const FLOW = { resume: () => undefined };

/** The learning sink of a PATCH, and what becomes of it, in order. */
function learning({ hasTurn = true } = {}) {
  const said: string[] = [];
  const update: AnswerUpdate = {
    wantsBody: () => true,
    answered: ({ status }) => said.push(`answered ${status}`),
    failed: (kind) => said.push(`failed ${kind}`),
  };
  const client = { head: () => said.push('head'), end: () => said.push('end') } as unknown as ResponseSink;
  const sink = new LearningSink(update, () => true, client);
  if (hasTurn) sink.onOver = () => said.push('over');
  return { sink, said, cancel: () => void said.push('cancelled') };
}

describe('a PATCH', () => {
  it('is over when its client has the answer', () => {
    const { sink, said } = learning();
    sink.head(OK, FLOW, 'target');
    sink.end(Buffer.from('{}'));
    expect(said).toEqual(['head', 'answered 200', 'end', 'over']);
  });
});

describe('a PATCH whose client is gone', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is waited for until the service has said what became of it', () => {
    const { sink, said, cancel } = learning();
    sink.outlive(cancel);
    expect(said).toEqual([]);
    sink.head(OK, FLOW, 'target');
    expect(said).toEqual(['answered 200', 'cancelled', 'over']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is given up when the service hangs', () => {
    const { sink, said, cancel } = learning();
    sink.outlive(cancel);
    vi.advanceTimersByTime(4999);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(said).toEqual(['cancelled', 'failed undefined', 'over']);
  });

  it('is given up at once where nobody waits for it', () => {
    const { sink, said, cancel } = learning({ hasTurn: false });
    sink.outlive(cancel);
    expect(said).toEqual(['cancelled', 'failed undefined']);
  });

  it('is given up in the middle of its answer', () => {
    const { sink, said, cancel } = learning();
    sink.head(OK, FLOW, 'target');
    sink.outlive(cancel);
    expect(said).toEqual(['head', 'cancelled', 'failed undefined', 'over']);
  });
});
