/** The command that keeps recordings in order, as a user types it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ended, packed, runBinary, startBinary } from '../support/binary.ts';
import { exchange } from '../support/exchanges.ts';
import { recordAll } from '../support/recordings.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function checkout(): Promise<{
  cwd: string;
  run: (...args: string[]) => Promise<Ended>;
}> {
  const cwd = temporaryFolder();
  await recordAll(join(cwd, 'recordings'), 'checkout', [
    exchange({ path: '/api/a', body: { json: { a: "it's" } }, answer: { json: 1 } }),
    exchange({ path: '/api/b', body: { json: { b: 1 } }, answer: { json: 2 } }),
  ]);
  return { cwd, run: (...args) => runHere(['recordings', ...args], { cwd }) };
}

describe('a recording', () => {
  it('goes out as an archive and comes in as another recording, to be replayed', async () => {
    const { cwd, run } = await checkout();
    writeFileSync(join(cwd, 'x.har'), (await run('export', 'checkout')).stdout);
    expect((await run('import', 'x.har', '--recording', 'again')).stdout).toContain('imported 2 exchanges');
    const file = (name: string) =>
      readFileSync(join(cwd, 'recordings', name, 'api', 'a', 'PATCH.json'), 'utf8');
    expect(file('again')).toBe(file('checkout'));
    const replay = await startBinary(['replay', '--recording', 'again'], { cwd });
    const body = JSON.stringify({ b: 1 });
    const response = await fetch(`${replay.url}/api/b`, { method: 'PATCH', body });
    expect([response.status, await response.text()]).toEqual([200, '2']);
  });

  it('comes in from standard input, too', async () => {
    const { cwd, run } = await checkout();
    const { stdout: stdin } = await run('export', 'checkout');
    const piped = await runBinary(['recordings', 'import', '-', '--recording', 'piped'], { cwd, stdin });
    expect(piped).toMatchObject({ code: 0, stdout: expect.stringContaining('imported 2 exchanges') });
    const broken = await runBinary(['recordings', 'import', '-'], { cwd, stdin: '{' });
    expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('<stdin>:1:2: ') });
  });

  it('may lose the reader of its list', async () => {
    const cwd = temporaryFolder();
    const many = Array.from({ length: 3000 }, (_, i) =>
      exchange({ path: '/a', query: `i=${i}`, answer: { text: 'x'.repeat(500) } }),
    );
    await recordAll(join(cwd, 'recordings'), 'x', many);
    const cli = packed('dist/cli.js');
    const child = spawn(process.execPath, [cli, 'recordings', 'show', 'x'], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect((await once(child, 'close'))[0]).toBe(0);
    expect(stderr).toBe('');
  });
});
