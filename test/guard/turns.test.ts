import { describe, expect, it } from 'vitest';
import { type Turn, Turns } from '../../src/guard/turns.ts';

/** Notes who had its turn, and keeps the turns to be left. */
function desk() {
  const turns = new Turns();
  const order: string[] = [];
  const left = new Map<string, Turn>();
  const enter = (name: string, { shares = false, key = 'x' } = {}) =>
    turns.enter(key, {
      alone(turn) {
        order.push(name);
        left.set(name, turn);
        if (shares) turn.share();
      },
      alongside(turn) {
        if (!shares) return false;
        order.push(`${name}+`);
        left.set(name, turn);
        return true;
      },
    });
  return { order, enter, leave: (name: string) => left.get(name)?.leave() };
}

describe('turns', () => {
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
    const turns = new Turns();
    let first: Turn | undefined;
    const order: string[] = [];
    turns.enter('x', { alone: (turn) => (first = turn), alongside: () => true });
    turns.enter('x', { alone: () => order.push('b'), alongside: () => true });
    turns.enter('x', { alone: () => order.push('c'), alongside: () => order.push('c+') > 0 });
    first?.leave();
    first?.share();
    expect(order).toEqual(['b']);
  });

  it('are not given to one that no longer waits', () => {
    const turns = new Turns();
    let held: Turn | undefined;
    const order: string[] = [];
    const isFirstWaiting = turns.enter('x', { alone: (turn) => (held = turn), alongside: () => false });
    const withdraw = turns.enter('x', { alone: () => order.push('b'), alongside: () => false });
    turns.enter('x', { alone: () => order.push('c'), alongside: () => false });
    expect([isFirstWaiting(), withdraw(), withdraw()]).toEqual([false, true, false]);
    held?.leave();
    expect(order).toEqual(['c']);
  });

  it('are not offered again to one that wants to be alone, as long as others are there', () => {
    const turns = new Turns();
    const held: Turn[] = [];
    const share = {
      alone(turn: Turn) {
        held.push(turn);
        turn.share();
      },
      alongside: (turn: Turn) => held.push(turn) > 0,
    };
    let asked = 0;
    turns.enter('x', share);
    turns.enter('x', share);
    turns.enter('x', { alone: (turn) => held.push(turn), alongside: () => ++asked < 0 });
    for (let i = 0; i < 10; i++) turns.enter('x', share);
    expect([asked, held.length]).toEqual([1, 2]);
    for (const turn of [...held]) turn.leave();
    expect(held.length).toBe(3);
  });

  it('that end at once make no deep stack', () => {
    const turns = new Turns();
    let held: Turn | undefined;
    let count = 0;
    turns.enter('x', { alone: (turn) => (held = turn), alongside: () => false });
    for (let i = 0; i < 100_000; i++)
      turns.enter('x', {
        alone(turn) {
          count++;
          turn.leave();
        },
        alongside: () => false,
      });
    held?.leave();
    expect(count).toBe(100_000);
  });
});
