import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { runCommand, Signals } from '../../../src/commands/exec/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function run(...command: [string, ...string[]]) {
  const signals = new Signals();
  try {
    return await runCommand(command, process.env, signals);
  } finally {
    signals.release();
  }
}

it.each([
  ['exit 0', 0, false],
  ['exit 3', 3, false],
  ['kill -KILL $$', 137, true],
  ['kill -INT $$', 130, true],
])('%s', async (script, code, isKilled) => {
  expect(await run('sh', '-c', script)).toEqual({ code, isKilled });
});

it.each<[NodeJS.Signals, number, boolean]>([
  ['SIGTERM', 9, true],
  ['SIGUSR1', 9, true],
  ['SIGUSR2', 0, false],
])('is told %s', async (signal, exits, isKilled) => {
  const ready = join(temporaryFolder(), 'ready');
  const script = `trap 'exit ${exits}' ${signal.slice(3)}; : > "$0"; while :; do sleep 0.02; done`;
  const ended = run('sh', '-c', script, ready);
  await vi.waitFor(() => expect(existsSync(ready)).toBe(true));
  process.emit(signal, signal);
  expect(await ended).toEqual({ code: exits, isKilled });
});

it('says why a command cannot be run, as shells do', async () => {
  const notes = join(temporaryFolder(), 'notes.txt');
  writeFileSync(notes, '');
  expect(await run('nosuch')).toMatchObject({
    code: 127,
    failure: expect.stringContaining('it is not found'),
  });
  expect(await run(notes)).toMatchObject({
    code: 126,
    failure: expect.stringContaining('permission denied'),
  });
  const script = join(temporaryFolder(), 'script');
  writeFileSync(script, '#!/bin/sh\r\nexit 0\r\n', { mode: 0o755 });
  expect(await run(script)).toMatchObject({
    code: 126,
    failure: expect.stringContaining('first line names is not found'),
  });
  const long = await run('sh', ...Array.from({ length: 30 }, () => 'x'.repeat(120_000)));
  expect(long).toMatchObject({ code: 126, failure: expect.stringContaining('too long') });
});

it.each([
  ['npm test', '\n  no shell takes it apart: leave out the quotes, '],
  ['DEBUG=1', '\n  variables are set by env: '],
])('says that no shell reads %j', async (name, hint) => {
  expect((await run(name)).failure).toContain(`cannot be run: it is not found${hint}`);
});

it('does not wait for what a command leaves running', async () => {
  const pid = join(temporaryFolder(), 'pid');
  await run('sh', '-c', 'sleep 30 & echo $! > "$0"', pid);
  // It would throw, if that were gone.
  expect(process.kill(Number(readFileSync(pid, 'utf8')))).toBe(true);
});
