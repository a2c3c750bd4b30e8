import { describe, expect, it } from 'vitest';
import { atEndOfTurn, beforeAnswers } from '../../src/http/end-of-turn.ts';

/** Resolves once all that was arranged by now has run. */
const endOfTurn = () => new Promise<void>((resolve) => atEndOfTurn(resolve));

describe('the end of a turn', () => {
  it('comes after the code that runs, and keeps the order', async () => {
    const ran: number[] = [];
    atEndOfTurn(() => ran.push(1));
    atEndOfTurn(() => ran.push(2));
    expect(ran).toEqual([]);
    await endOfTurn();
    expect(ran).toEqual([1, 2]);
  });

  it('runs what comes before the answers first', async () => {
    const ran: string[] = [];
    atEndOfTurn(() => ran.push('answer'));
    beforeAnswers(() => ran.push('write'))();
    await endOfTurn();
    expect(ran).toEqual(['write', 'answer']);
  });

  it('runs the others where one throws, and lets the error be seen', async () => {
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
    const ran: string[] = [];
    beforeAnswers(() => {
      throw new Error('no space');
    })();
    beforeAnswers(() => ran.push('write'))();
    atEndOfTurn(() => ran.push('answer'));
    try {
      expect(await thrown).toMatchObject({ message: 'no space' });
      await endOfTurn();
      expect(ran).toEqual(['write', 'answer']);
    } finally {
      for (const listener of listeners) process.on('uncaughtException', listener);
    }
  });
});
