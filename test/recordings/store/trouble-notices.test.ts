import { expect, it } from 'vitest';
import { PatchgateError } from '../../../src/errors.ts';
import { TroubleNotices } from '../../../src/recordings/store/trouble-notices.ts';

const FULL = new PatchgateError('cannot-write', 'cannot write x: ENOSPC', { hint: 'make room' });
const RISKS = { journal: 'Nothing is lost.', memory: 'It is only in memory.', losing: 'Some is lost.' };

/** What is said of one state after the other; undefined: all is well. */
function said(...levels: (keyof typeof RISKS | undefined)[]): string[] {
  const notices: string[] = [];
  const troubles = new TroubleNotices('RECORDING FAILS', RISKS, (text) => notices.push(text));
  for (const level of levels) level ? troubles.trouble(FULL, level) : troubles.over('it works again');
  return notices;
}

it('says nothing while all is well', () => {
  expect(said(undefined, undefined)).toEqual([]);
});

it('says once what is at risk and what to do, and once that it is over', () => {
  const begins = 'RECORDING FAILS: cannot write x: ENOSPC. Nothing is lost. (make room)';
  expect(said('journal', 'journal', undefined, undefined)).toEqual([begins, 'it works again']);
  expect(said('journal', undefined, 'journal')).toEqual([begins, 'it works again', begins]);
});

it('says when it becomes worse, not when it becomes better but is not over', () => {
  const notices = said('journal', 'memory', 'losing', 'losing', 'memory', 'losing', 'journal');
  expect(notices).toHaveLength(3);
  expect(notices[1]).toContain('only in memory');
  expect(notices[2]).toContain('Some is lost');
});
