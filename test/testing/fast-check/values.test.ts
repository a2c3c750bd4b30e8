import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anything, float, furtherMembers } from '../../../src/testing/fast-check/values.ts';

const RUNS = { seed: 5, numRuns: 100 };

it('gives further members no name that looks like a listed one', () => {
  const members = fc.sample(furtherMembers(fc.constant(1), ['heatRecorder', 'GRÖSSE']), RUNS);
  const names = new Set(members.flatMap((some) => Object.keys(some)));
  expect([...names]).toEqual(expect.arrayContaining(['heatrecorderFurther', 'größeFurther', 'x-1']));
  expect(names).not.toContain('heatrecorder');
});

it('gives values that JSON holds exactly', () => {
  for (const value of [...fc.sample(anything, RUNS), ...fc.sample(float(-1, 0), RUNS)]) {
    const text = JSON.stringify(value);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).not.toMatch(/"(?:__proto__|prototype|constructor)":/);
  }
});
