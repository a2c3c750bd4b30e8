/** What only a process of its own shows of the commands: standard input, a reader that is gone, and what a proxy leaves. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packed, runBinary, startBinary } from '../support/binary.ts';
import { exchange } from '../support/exchanges.ts';
import { recordAll } from '../support/recordings.ts';
import { patch, project } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('recordings import and check take standard input', async () => {
  const cwd = temporaryFolder();
  const all = [exchange({ path: '/api/a', body: { json: 1 } }), exchange({ path: '/api/b' })];
  await recordAll(join(cwd, 'recordings'), 'checkout', all);
  const run = (words: string, stdin = '') => runBinary(words.split(' '), { cwd, stdin });
  const { stdout: archive } = await run('recordings export checkout');
  const imported = await run('recordings import - --recording piped', archive);
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('imported 2 exchanges') });
  const broken = await run('recordings import -', '{');
  expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('<stdin>:1:2: ') });
  const draft = '{\n  "draftId": 1002\n}';
  const checked = await run('check - --path /accounts/current/drafts/1001 -f github', draft);
  expect(checked).toMatchObject({ code: 1, stderr: '' });
  expect(checked.stdout).toMatch(/^::error title=draft\.id-matches-path::<stdin>:2:14: /);
});

it('recordings show may lose its reader', async () => {
  const cwd = temporaryFolder();
  const many = Array.from({ length: 3000 }, (_, i) =>
    exchange({ path: '/a', query: `i=${i}`, answer: { text: 'x'.repeat(500) } }),
  );
  await recordAll(join(cwd, 'recordings'), 'x', many);
  const child = spawn(process.execPath, [packed('dist/cli.js'), 'recordings', 'show', 'x'], { cwd });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect((await once(child, 'close'))[0]).toBe(0);
  expect(stderr).toBe('');
});

it('plan knows what a running proxy has just seen, and one that was killed', async () => {
  const cwd = temporaryFolder();
  const proxy = await startBinary(['proxy', (await startTarget()).url], { cwd });
  expect((await patch(proxy.url, project('1024 Production', '2 Staging'))).status).toBe(200);
  writeFileSync(join(cwd, 'body.json'), JSON.stringify(project('1042 Production', '2 Staging')));
  const plan = () => runBinary(['plan', 'body.json', '--project', '42'], { cwd });
  const typo = { code: 3, stdout: expect.stringContaining('likely a typo: did you mean 1024?') };
  expect(await plan()).toMatchObject(typo);
  await proxy.stop('SIGKILL');
  expect(await plan()).toMatchObject(typo);
});
