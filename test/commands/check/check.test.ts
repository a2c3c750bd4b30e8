/** Exit codes of the command's own pipeline. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { FORMATS } from '../../../src/commands/check/outputs.ts';
import { type CheckArgs, runCheck } from '../../../src/commands/check/run-check.ts';
import { exchange } from '../../support/exchanges.ts';
import { gate } from '../../support/gate.ts';
import { fileText, projectOf } from '../../support/recorded-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const GOOD = projectOf(1);
const { name: _, ...WITHOUT_NAME } = GOOD;
const BODIES = {
  clean: GOOD,
  warning: { ...GOOD, owner: 'me' },
  error: WITHOUT_NAME,
  // More than are told of one by one.
  flood: { ...GOOD, languages: Array.from({ length: 150 }, () => 1) },
};

async function codeOf(failOn: 'error' | 'warn', outputs: CheckArgs['outputs']): Promise<number> {
  const io = { cwd, stdin: (async function* () {})(), stdout: () => {} };
  return runCheck({ inputs: ['PATCH.json'], outputs, failOn }, io, () => gate({ guard: 'off' }));
}

it.each<[body: keyof typeof BODIES, error: number, warn: number]>([
  ['clean', 0, 0],
  ['warning', 0, 1],
  ['error', 1, 1],
  ['flood', 1, 1],
])('the exit code of %s is %i, with --fail-on warn %i, in each format', async (body, error, warn) => {
  writeFileSync(join(cwd, 'PATCH.json'), fileText([exchange({ body: { json: BODIES[body] as never } })]));
  const codes = FORMATS.map(async (format) => [
    await codeOf('error', [{ format, file: `${format}-error` }]),
    await codeOf('warn', [{ format, file: `${format}-warn` }]),
  ]);
  expect(await Promise.all(codes)).toEqual(FORMATS.map(() => [error, warn]));
});
