import { expect, it } from 'vitest';
import { isAlive, startOf } from '../../src/recordings/process-life.ts';
import { NO_PID } from '../support/killed.ts';

it('knows who lives', () => {
  expect(isAlive(process.pid, undefined)).toBe(true);
  expect(isAlive(process.pid, startOf(process.pid))).toBe(true);
  expect(isAlive(NO_PID, undefined)).toBe(false);
  expect(startOf(NO_PID)).toBeUndefined();
});

it.runIf(process.platform === 'linux')('tells a process from an earlier one of the same pid', () => {
  expect(startOf(process.pid)).toMatch(/^[0-9a-f-]{36}:\d+$/);
  expect(isAlive(process.pid, `${startOf(process.pid)}1`)).toBe(false);
});
