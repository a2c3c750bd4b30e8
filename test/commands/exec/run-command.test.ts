import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pastProxies, runCommand, Signals, variablesOf } from '../../../src/commands/exec/run-command.ts';
import { refusal } from '../../support/errors.ts';
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
  await expect.poll(() => existsSync(ready)).toBe(true);
  process.emit(signal, signal);
  expect(await ended).toEqual({ code: exits, isKilled });
});

it('says why a command cannot be run, as shells do', async () => {
  const notes = join(temporaryFolder(), 'notes.txt');
  writeFileSync(notes, '');
  expect(await run('nosuch')).toMatchObject({
    code: 127,
    failure: 'command not found: nosuch (or the interpreter in its #! line)',
  });
  expect(await run(notes)).toMatchObject({ code: 126, failure: expect.stringContaining('EACCES') });
  expect((await run('npm test')).failure).toContain('\n  no shell takes it apart: -- sh -c COMMAND');
});

it('does not wait for what a command leaves running', async () => {
  const pid = join(temporaryFolder(), 'pid');
  await run('sh', '-c', 'sleep 30 & echo $! > "$0"', pid);
  // It would throw, if that were gone.
  expect(process.kill(Number(readFileSync(pid, 'utf8')))).toBe(true);
});

const ORIGIN = 'http://127.0.0.1:40123';

it('are the origin, and what is asked for behind it', () => {
  expect(variablesOf([], ORIGIN)).toEqual({ PATCHGATE_URL: ORIGIN });
  expect(variablesOf(['BASE_URL=/api/v2', 'api.url', 'X=/?a=b'], ORIGIN)).toEqual({
    PATCHGATE_URL: ORIGIN,
    BASE_URL: `${ORIGIN}/api/v2`,
    'api.url': ORIGIN,
    X: `${ORIGIN}/?a=b`,
  });
  expect(variablesOf(['PATCHGATE_URL=/api/v2'], ORIGIN)).toEqual({ PATCHGATE_URL: `${ORIGIN}/api/v2` });
});

it.each(['=/api/v2', 'a b=/x', 'BASE_URL=api/v2'])('is no variable: %s', (given) => {
  expect(refusal('bad-usage', () => variablesOf([given], ORIGIN))).toContain('is no name with a path');
});

it.each<[NodeJS.ProcessEnv, Record<string, string>]>([
  [{}, {}],
  [{ http_proxy: '', no_proxy: 'a' }, {}],
  [{ HTTP_PROXY: 'http://p:1' }, { no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1' }],
  [
    { https_proxy: 'http://p:1', NO_PROXY: 'localhost' },
    { no_proxy: 'localhost,127.0.0.1', NO_PROXY: 'localhost,127.0.0.1' },
  ],
  [
    { ALL_PROXY: 'http://p:1', no_proxy: '*', NO_PROXY: 'b' },
    { no_proxy: '*', NO_PROXY: '*' },
  ],
])('lead past the proxies that there are: %j', (env, variables) => {
  expect(pastProxies(env, ORIGIN)).toEqual(variables);
});

it('name an address of IPv6 without its brackets', () => {
  expect(pastProxies({ http_proxy: 'http://p:1' }, 'http://[::1]:4010').no_proxy).toBe('::1');
});
