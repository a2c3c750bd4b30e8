import { expect, it } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import { notKept, TroubleNotices } from '../../src/recordings/trouble-notices.ts';

const FULL = new PatchgateError('cannot-write', 'cannot write x: ENOSPC', { hint: 'make room' });

/** What is said of states of a store: the reason, whether something is only in memory, how many were lost. */
function said(...states: [reason: Error | undefined, isInMemory: boolean, lost: number][]): string[] {
  const notices: string[] = [];
  const troubles = new TroubleNotices('recordings/r', (text) => notices.push(text));
  for (const state of states) troubles.tell(...state);
  return notices;
}

it('says nothing while all is well', () => {
  expect(said([undefined, false, 0], [undefined, false, 0])).toEqual([]);
});

it('says once what is at risk and what to do, and once that it is over', () => {
  const states = said([FULL, false, 0], [FULL, false, 0], [undefined, false, 0], [undefined, false, 0]);
  expect(states).toEqual([
    'RECORDING FAILS: cannot write x: ENOSPC. Nothing is lost: it stays in the journal, and gets into its file as soon as that can be written, at the next start at the latest. (make room)',
    'recording into recordings/r works again: nothing is missing',
  ]);
});

it('says when it becomes worse, not when it becomes better but is not over', () => {
  const notices = said([FULL, false, 0], [FULL, true, 0], [FULL, true, 1], [FULL, true, 2], [FULL, false, 2]);
  expect(notices).toHaveLength(3);
  expect(notices[1]).toContain('only in memory');
  expect(notices[2]).toContain('exchanges are lost from now on');
});

it('says at the end how many are missing', () => {
  expect(said([FULL, true, 0], [FULL, true, 3], [undefined, false, 3]).at(-1)).toBe(
    'recording into recordings/r works again, but 3 exchanges were not kept: record again',
  );
  expect(said([FULL, true, 1], [undefined, false, 1], [FULL, true, 1]).at(-1)).toContain('only in memory');
});

it('tells what was not kept as an error', () => {
  expect(notKept('r', 1, FULL)).toMatchObject({
    code: 'cannot-write',
    message: '1 exchange was not kept in r: cannot write x: ENOSPC',
  });
  expect(notKept('r', 2, undefined).message).toBe('2 exchanges were not kept in r');
});
