import { describe, expect, it } from 'vitest';
import { type HeldLock, RecordLocks } from '../../src/guard/record-locks.ts';

/** Notes who got its lock, and keeps the locks to be released. */
function desk() {
  const locks = new RecordLocks();
  const order: string[] = [];
  const left = new Map<string, HeldLock>();
  const enter = (name: string, { shares = false, key = 'x' } = {}) =>
    locks.acquire(key, {
      exclusive(lock) {
        order.push(name);
        left.set(name, lock);
        if (shares) lock.share();
      },
      shared(lock) {
        if (!shares) return false;
        order.push(`${name}+`);
        left.set(name, lock);
        return true;
      },
    });
  return { order, enter, leave: (name: string) => left.get(name)?.release() };
}

describe('locks', () => {
  it('are given one after the other, in the order of coming', () => {
    const { order, enter, leave } = desk();
    for (const name of ['a', 'b', 'c']) enter(name);
    expect(order).toEqual(['a']);
    leave('a');
    expect(order).toEqual(['a', 'b']);
    leave('a');
    expect(order).toEqual(['a', 'b']);
    leave('b');
    leave('c');
    enter('d');
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });

  it('of other keys are given at once', () => {
    const { order, enter } = desk();
    enter('a');
    enter('b', { key: 'y' });
    expect(order).toEqual(['a', 'b']);
  });

  it('are shared by those who want to, and nobody overtakes one who does not', () => {
    const { order, enter, leave } = desk();
    enter('a', { shares: true });
    enter('b', { shares: true });
    enter('c');
    enter('d', { shares: true });
    enter('e', { shares: true });
    expect(order).toEqual(['a', 'b+']);
    leave('a');
    expect(order).toEqual(['a', 'b+']);
    leave('b');
    expect(order).toEqual(['a', 'b+', 'c']);
    leave('c');
    expect(order).toEqual(['a', 'b+', 'c', 'd', 'e+']);
  });

  it('are not shared any more by one that has left', () => {
    const locks = new RecordLocks();
    let first: HeldLock | undefined;
    const order: string[] = [];
    locks.acquire('x', { exclusive: (lock) => (first = lock), shared: () => true });
    locks.acquire('x', { exclusive: () => order.push('b'), shared: () => true });
    locks.acquire('x', { exclusive: () => order.push('c'), shared: () => order.push('c+') > 0 });
    first?.release();
    first?.share();
    expect(order).toEqual(['b']);
  });

  it('are not given to one that no longer waits', () => {
    const locks = new RecordLocks();
    let held: HeldLock | undefined;
    const order: string[] = [];
    const isFirstWaiting = locks.acquire('x', { exclusive: (lock) => (held = lock), shared: () => false });
    const withdraw = locks.acquire('x', { exclusive: () => order.push('b'), shared: () => false });
    locks.acquire('x', { exclusive: () => order.push('c'), shared: () => false });
    expect([isFirstWaiting(), withdraw(), withdraw()]).toEqual([false, true, false]);
    held?.release();
    expect(order).toEqual(['c']);
  });

  it('are not offered again to one that wants to be alone, as long as others are there', () => {
    const locks = new RecordLocks();
    const held: HeldLock[] = [];
    const share = {
      exclusive(lock: HeldLock) {
        held.push(lock);
        lock.share();
      },
      shared: (lock: HeldLock) => held.push(lock) > 0,
    };
    let asked = 0;
    locks.acquire('x', share);
    locks.acquire('x', share);
    locks.acquire('x', { exclusive: (lock) => held.push(lock), shared: () => ++asked < 0 });
    for (let i = 0; i < 10; i++) locks.acquire('x', share);
    expect([asked, held.length]).toEqual([1, 2]);
    for (const lock of [...held]) lock.release();
    expect(held.length).toBe(3);
  });

  it('that end at once make no deep stack', () => {
    const locks = new RecordLocks();
    let held: HeldLock | undefined;
    let count = 0;
    locks.acquire('x', { exclusive: (lock) => (held = lock), shared: () => false });
    for (let i = 0; i < 100_000; i++)
      locks.acquire('x', {
        exclusive(lock) {
          count++;
          lock.release();
        },
        shared: () => false,
      });
    held?.release();
    expect(count).toBe(100_000);
  });
});
