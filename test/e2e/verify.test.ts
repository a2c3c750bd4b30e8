import { existsSync } from 'node:fs';
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

it('tells people what differs, writes reports as check does, and takes it over', async () => {
  const cwd = recorded();
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
  const { code, stdout } = await runHere([...args, '-f', 'text', '-f', 'junit', '-o', 'report.xml'], { cwd });
  expect(stdout).toBe(`recordings/x/a/GET.json

  GET /a (/exchanges/0)

  recordings/x/a/GET.json:20:19  error  drift.type-changed  "on" is a number, recorded as a boolean: live 1, recorded true
    20 |             "on": true
       |                   ^
    at /on, recorded

note: not sent, since they change something: 1 PATCH
  hint: with --unsafe PATCHes are sent that pass the gate, and nothing else that changes something

1 error, 0 warnings: 1 request sent, 1 not sent, of 2 files
`);
  expect([code, existsSync(join(cwd, 'report.xml'))]).toEqual([1, true]);
  expect(target.received[0]?.headers.authorization).toBe('Bearer abc');
  const updated = await runHere([...args, '--update'], { cwd });
  expect(updated.stdout).toContain('note: wrote 1 answer to 1 file of the recording "x"\n');
  expect(updated.stdout).toContain('no further drift (1 taken into the recording): 1 request sent');
  expect(updated.code).toBe(0);
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
