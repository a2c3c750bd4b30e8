/** `patchgate exec` is told to stop, as by a CI system: no terminal tells its command. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { cleanUp, packed, runBinary, runEnvironment, temporaryFolder } from '../support/binary.ts';
import { closeTargets, startTarget } from '../support/target.ts';

afterEach(closeTargets);
afterAll(cleanUp);

/** Runs a script that says `ready`, and waits for it. */
async function startScript(script: string, ...args: string[]): Promise<{ cwd: string; child: ChildProcess }> {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'recordings/demo'), { recursive: true });
  const given = ['exec', '--recording', 'demo', ...args, '--', 'sh', '-c', script];
  const child = spawn(process.execPath, [packed('dist/cli.js'), ...given], {
    ...{ cwd, env: runEnvironment({}), detached: true },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout as NodeJS.EventEmitter, 'data');
  return { cwd, child };
}

it('tells its command, waits for it, and has the recording whole on disk', async () => {
  const target = await startTarget();
  const last = 'curl -s -o answer "$PATCHGATE_URL/last"; kill $!; exit 5';
  const script = `trap '${last}' TERM; sleep 30 & echo ready; wait`;
  const { cwd, child } = await startScript(script, '--record', 'all', '--target', target.url);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([5, null]);
  const file = readFileSync(join(cwd, 'recordings/demo/last/GET.json'), 'utf8');
  expect(JSON.parse(file).exchanges).toMatchObject([{ response: { status: 200 } }]);
});

it("is well, where nothing is missed but a browser's icon", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'recordings/demo'), { recursive: true });
  const run = (path: string) =>
    runBinary(['exec', '--recording', 'demo', '--', 'sh', '-c', `curl -s "$PATCHGATE_URL${path}"`], { cwd });
  expect(await run('/favicon.ico')).toMatchObject({ code: 0, stdout: expect.stringContaining('no miss') });
  expect(await run('/other.ico')).toMatchObject({ code: 1 });
});

it('ends as its command is ended', async () => {
  const { child } = await startScript('echo ready; exec sleep 30');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
});
