import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import yargs from 'yargs';
import { spellOut } from '../../src/commands/options.ts';
import { plan } from '../../src/commands/plan.ts';
import { laterRefusal } from '../support/errors.ts';
import { closeTargets, startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PRODUCTION = { id: 1, name: 'Production', isEnabled: true };
const PROJECT = { name: 'Checkout', languages: ['GO'], environments: [PRODUCTION] };
const EMPTY = { ...PROJECT, environments: [] };

let folder: string;
let body: string;
let state: string;
beforeEach(() => {
  folder = temporaryFolder();
  body = join(folder, 'body.json');
  state = join(folder, 'state.json');
  writeFileSync(body, JSON.stringify(EMPTY));
  writeFileSync(state, JSON.stringify({ accounts: { 7: { projects: { 42: PROJECT } } } }));
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
  await closeTargets();
});

/** The exit code and what was written. */
async function run(...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const listeners = process.stdout.listeners('error');
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation(((text: string) => {
      written[name] += text;
      return true;
    }) as typeof process.stdout.write);
  }
  try {
    await yargs(spellOut(['plan', ...args]))
      .command([plan])
      .strict()
      .exitProcess(false)
      .fail((message, error) => {
        throw error ?? new Error(message);
      })
      .parseAsync();
    return { exitCode: process.exitCode, ...written };
  } finally {
    vi.restoreAllMocks();
    // A process has one command, and ends with it.
    for (const listener of process.stdout.listeners('error'))
      if (!listeners.includes(listener)) process.stdout.off('error', listener as () => void);
  }
}

test('tells the effects, by its exit code too', async () => {
  const { exitCode, stdout, stderr } = await run(body, '--project', '42', '--state', state);
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: '' });
  expect(stdout).toMatch(/^Project 42 "Checkout".*\n\n {4}- environment 1 "Production" will be deleted/);
});

test('has the settings of the guard: --account, --allow-delete', async () => {
  const ask = async (...args: string[]) =>
    (await run(body, '--project', '42', '--state', state, ...args)).exitCode;
  expect(await ask('--account', '7')).toBe(3);
  expect(await ask('--account', '8')).toBe(2);
  expect(await ask('--allow-delete', 'Prod*')).toBe(0);
});

test('the environment says as little of it as a proxy that is not guarded or validated', async () => {
  vi.stubEnv('PATCHGATE_VALIDATION', 'off');
  vi.stubEnv('PATCHGATE_GUARD', 'off');
  vi.stubEnv('PATCHGATE_TARGET', 'http://127.0.0.1:9/accounts/current');
  vi.stubEnv('PATCHGATE_RECORDING', 'checkout');
  vi.stubEnv('PATCHGATE_BASE_PATH', '/api/v2/');
  writeFileSync(body, '{"name": "Checkout", "environments": []}');
  const { exitCode, stdout } = await run(body, '--project', '42', '--state', state, '--format', 'json');
  expect(exitCode).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ known: true, findings: [{ rule: 'schema.required' }] });

  const config = join(folder, 'config.json');
  writeFileSync(config, '{"rules": {"request.duplicate-key": "off"}}');
  writeFileSync(body, '{"environments": [], "environments": [{"id": 1}]}');
  const twice = run(body, '--project', '42', '--state', state, '--config', config);
  expect(await laterRefusal('bad-input', twice)).toContain('second time');
});

test('what is known may come from a setting', async () => {
  vi.stubEnv('PATCHGATE_STATE', state);
  expect((await run(body, '--project', '42')).exitCode).toBe(3);
  const refused = run(body, '--project', '42', '--no-state');
  expect(await laterRefusal('bad-usage', refused)).toContain('nothing says');
});

test('asks the service with the headers given', async () => {
  const target = await startTarget((_req, res) => res.end(JSON.stringify(PROJECT)));
  const args = ['--from-target', target.url, '--header', 'Authorization: Bearer a', '--header', 'X-A: 1'];
  const { exitCode, stdout } = await run(body, '--project', '42', ...args);
  expect(exitCode).toBe(3);
  expect(stdout).toContain(`as known from ${target.url}`);
  expect(stdout).not.toContain('Bearer');
  expect(target.received).toHaveLength(1);
  expect(target.received[0]?.headers).toMatchObject({ authorization: 'Bearer a', 'x-a': '1' });
});

test('writes the corrected body', async () => {
  const { stderr } = await run(body, '--project', '42', '--state', state, '--write-full', body);
  expect(stderr).toContain(`wrote ${body}`);
  expect(JSON.parse(readFileSync(body, 'utf8'))).toEqual(PROJECT);
});

test('has colours where they are forced', async () => {
  vi.stubEnv('FORCE_COLOR', '1');
  expect((await run(body, '--project', '42', '--state', state)).stdout).toContain('\u001b[31m');
});

test('a recording of all recordings', async () => {
  mkdirSync(join(folder, 'recordings', 'checkout'), { recursive: true });
  const args = ['--recordings', join(folder, 'recordings'), '--recording', 'checkout'];
  const { exitCode, stdout } = await run(body, '--project', '42', ...args);
  expect(exitCode).toBe(2);
  expect(stdout).toContain('Nothing is known of project 42 in the recording checkout');
});

test.each([
  ['--project', '42', '--project', '43'],
  ['--project', '42', '--write-full', 'a', '--write-full', 'b'],
  ['--project', '42', '--from-target', 'http://a', '--from-target', 'http://b'],
  ['--project', 'x'],
  ['--project', '42', '--header', 'A: b'],
])('%s %s %s %s: bad usage', async (...args) => {
  await laterRefusal('bad-usage', run(body, '--state', state, ...args));
});

test.each([
  [['--project']],
  [[]],
  [['--project', '42', '--validation', 'off']],
  [['--project', '42', '--format', 'xml']],
])('%j is refused', async (args) => {
  await expect(run(body, ...args)).rejects.toThrow();
});

test('shows no secret, and writes the body as it is to be sent', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const name = { ...PROJECT, name: secret, environments: [{ ...PRODUCTION, name: `ci ${secret}` }] };
  writeFileSync(state, JSON.stringify({ accounts: { 7: { projects: { 42: name } } } }));
  const full = join(folder, 'full.json');
  for (const format of ['text', 'json']) {
    const args = ['--state', state, '--format', format, '--write-full', full];
    const { stdout, stderr } = await run(body, '--project', '42', ...args);
    expect(stdout).toContain('ci [redacted]');
    expect(stdout + stderr).not.toContain(secret);
  }
  expect(readFileSync(full, 'utf8')).toContain(secret);
});
