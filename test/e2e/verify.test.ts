import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exchange } from '../support/exchanges.ts';
import { writeRecording } from '../support/recorded-folder.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startLive } from '../support/verify.ts';

function recorded(): string {
  const cwd = temporaryFolder();
  writeRecording(join(cwd, 'recordings', 'x'), [
    exchange({ method: 'GET', path: '/a', answer: { json: { on: true } } }),
    exchange({ path: '/a' }),
  ]);
  return cwd;
}

it('prints what differs, and what was not sent', async () => {
  const target = await startLive({ '/a': { body: { on: 1 } } });
  const args = [
    'verify',
    '--recording',
    'x',
    '--target',
    target.url,
    '--header',
    'Authorization: Bearer abc',
  ];
  const { code, stdout } = await runHere(args, { cwd: recorded() });
  expect([code, stdout]).toEqual([
    1,
    `GET /a
  /on is 1, recorded true

not sent, since they change something: 1 PATCH
1 answer differs: 1 request of "x" sent
`,
  ]);
  expect(target.received[0]?.headers.authorization).toBe('Bearer abc');
});

it('is of files, whatever database the gates share', async () => {
  const target = await startLive({ '/a': { body: { on: true } } });
  const args = ['verify', '--recording', 'x', '--target', target.url];
  const env = { PATCHGATE_STORE: 'postgres://127.0.0.1:1/gates' };
  expect(await runHere(args, { cwd: recorded(), env })).toMatchObject({ code: 0, stderr: '' });
});

it('needs a target', async () => {
  const { code, stderr } = await runHere(['verify', '--recording', 'x'], { cwd: recorded() });
  expect([code, stderr]).toEqual([2, expect.stringContaining('no target is given')]);
});
