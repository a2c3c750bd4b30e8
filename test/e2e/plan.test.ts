/** What a PATCH would destroy, as a user asks for it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runBinary, startBinary } from '../support/binary.ts';
import { runHere } from '../support/run-here.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PRODUCTION = { id: 1024, name: 'Production', isEnabled: true };
const STAGING = { id: 2, name: 'Staging', isEnabled: false };
const PROJECT = { name: 'Checkout', languages: ['NODEJS'], environments: [PRODUCTION, STAGING] };
const TYPO = { ...PROJECT, environments: [{ ...PRODUCTION, id: 1042 }, STAGING] };
const PATH = '/api/v2/accounts/current/projects/42';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const write = (file: string, content: unknown) => writeFileSync(join(cwd, file), JSON.stringify(content));
const plan = (...args: string[]) => runHere(['plan', ...args], { cwd });
/** What is read from standard input needs a process that has one. */
const planGiven = (stdin: string, ...args: string[]) => runBinary(['plan', '-', ...args], { cwd, stdin });

function keepState() {
  mkdirSync(join(cwd, '.patchgate'));
  write('.patchgate/state.json', {
    formatVersion: 1,
    records: { 'project 42': { account: 'current', record: PROJECT } },
    approvals: {},
  });
}

test('an id typo, found in what the proxy keeps, corrected, and then harmless', async () => {
  keepState();
  write('body.json', TYPO);
  const first = await plan('body.json', '--project', '42');
  expect(first).toMatchObject({ code: 3, stderr: '' });
  expect(first.stdout).toContain('likely a typo: did you mean 1024?');
  expect(first.stdout).not.toContain('\u001b');
  write(
    'body.json',
    JSON.parse((await plan('body.json', '--project', '42', '--format', 'json')).stdout).corrected,
  );
  expect(await plan('body.json', '--project', '42')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('No changes'),
  });
});

test('a body from standard input', async () => {
  keepState();
  const { code, stdout } = await planGiven(JSON.stringify(TYPO), '--project', '42', '--format', 'json');
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toEqual({
    known: true,
    effects: [
      { kind: 'environment-replaced', id: 1024, name: 'Production', newId: 1042, index: 0, likelyTypo: true },
      { kind: 'default-changed', from: [1024], to: [1042] },
    ],
    corrected: PROJECT,
  });
});

test('what a running proxy has just seen', async () => {
  const target = await startTarget();
  const proxy = await startBinary(['proxy', target.url], { cwd });
  const response = await fetch(proxy.url + PATH, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(PROJECT),
  });
  expect(response.status).toBe(200);
  write('body.json', TYPO);
  expect(await plan('body.json', '--project', '42')).toMatchObject({ code: 3 });
  await proxy.stop('SIGKILL');
  expect(await plan('body.json', '--project', '42')).toMatchObject({ code: 3 });
});
