import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Followed, Follower } from '../../src/guard/follow.ts';
import type { ResponseSink } from '../../src/upstreams/upstream.ts';

const OK = { status: 200, message: '', headers: ['Content-Length', '2'] };
const FLOW = { resume: () => undefined };

/** A follower of a PATCH, and what becomes of it, in order. */
function follow({ hasTurn = true } = {}) {
  const said: string[] = [];
  const update: Followed = {
    wantsBody: () => true,
    answered: ({ status }) => said.push(`answered ${status}`),
    failed: (kind) => said.push(`failed ${kind}`),
  };
  const sink = { head: () => said.push('head'), end: () => said.push('end') } as unknown as ResponseSink;
  const follower = new Follower(update, () => true, sink);
  if (hasTurn) follower.onOver = () => said.push('over');
  return { follower, said, cancel: () => void said.push('cancelled') };
}

describe('a PATCH', () => {
  it('is over when its client has the answer', () => {
    const { follower, said } = follow();
    follower.head(OK, FLOW, 'target');
    follower.end(Buffer.from('{}'));
    expect(said).toEqual(['head', 'answered 200', 'end', 'over']);
  });
});

describe('a PATCH whose client is gone', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is followed until the service has said what became of it', () => {
    const { follower, said, cancel } = follow();
    follower.outlive(cancel);
    expect(said).toEqual([]);
    follower.head(OK, FLOW, 'target');
    expect(said).toEqual(['answered 200', 'cancelled', 'over']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is given up when the service hangs', () => {
    const { follower, said, cancel } = follow();
    follower.outlive(cancel);
    vi.advanceTimersByTime(4999);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(said).toEqual(['cancelled', 'failed undefined', 'over']);
  });

  it('is given up at once where nobody waits for it', () => {
    const { follower, said, cancel } = follow({ hasTurn: false });
    follower.outlive(cancel);
    expect(said).toEqual(['cancelled', 'failed undefined']);
  });

  it('is given up in the middle of its answer', () => {
    const { follower, said, cancel } = follow();
    follower.head(OK, FLOW, 'target');
    follower.outlive(cancel);
    expect(said).toEqual(['head', 'cancelled', 'failed undefined', 'over']);
  });
});
