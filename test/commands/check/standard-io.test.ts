import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProgressLine, standardIo } from '../../../src/commands/check/standard-io.ts';

const isTTY = process.stderr.isTTY;
beforeEach(() => {
  vi.stubEnv('CI', undefined);
  vi.stubEnv('TERM', 'xterm');
});
afterEach(() => {
  process.stderr.isTTY = isTTY;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test.each([
  ['on a terminal', true, {}, true],
  ['not into a file', false, {}, false],
  ['not in the log of a CI system', true, { CI: 'true' }, false],
  ['not on a terminal that takes nothing back', true, { TERM: 'dumb' }, false],
])('progress is shown %s', (_, isTerminal, env, isShown) => {
  process.stderr.isTTY = isTerminal;
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  expect(standardIo().progress !== undefined).toBe(isShown);
});

/** What becomes of a write that ends with an error, or well. */
function write(code?: string) {
  const error = code === undefined ? null : Object.assign(new Error(`${code}: x`), { code });
  vi.spyOn(process.stdout, 'write').mockImplementation(((_: string, done: (error: Error | null) => void) => {
    done(error);
    return true;
  }) as typeof process.stdout.write);
  return standardIo().stdout('x') as Promise<boolean>;
}

test('a reader that has seen enough is no failure, and is told of; any other trouble is one', async () => {
  expect(await write()).toBe(true);
  expect(await write('EPIPE')).toBe(false);
  await expect(write('ENOSPC')).rejects.toMatchObject({ code: 'cannot-write', exitCode: 2 });
});

function shown() {
  let now = 1000;
  const written: string[] = [];
  const line = new ProgressLine(
    (text) => written.push(text),
    () => now,
  );
  const tellAt = (time: number, judged = time) => {
    now = time;
    line.show(() => `judged ${judged}`);
  };
  return { line, written, tellAt };
}

test('shows nothing of what is done in half a second', () => {
  const { line, written, tellAt } = shown();
  tellAt(1001);
  tellAt(1499);
  line.clear();
  expect(written).toEqual([]);
});

test('is written over, ten times a second at most, and taken off', () => {
  const { line, written, tellAt } = shown();
  for (let time = 1500; time < 2000; time++) tellAt(time, 12_345);
  expect(written).toHaveLength(5);
  expect(written[0]).toBe('\r\u001b[Kjudged 12345');
  line.clear();
  line.clear();
  expect(written.slice(5)).toEqual(['\r\u001b[K']);
});
