/** A disk that takes no more while the program records: something is in the way, which stops root, too. */
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { startRecorder } from '../support/in-process.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function statusesOf(gate: Running, paths: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const path of paths) {
    const response = await fetch(gate.url + path);
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  return statuses;
}

async function healthOf(gate: Running): Promise<{ status: string; trouble?: string }> {
  return (await fetch(`${gate.url}/__patchgate/health`)).json() as Promise<{ status: string }>;
}

const paths = (count: number) => Array.from({ length: count }, (_, i) => `/${i}`);

it.skipIf(process.platform === 'win32')(
  'a working folder that is gone ends neither answers nor the end',
  async () => {
    const target = await startTarget();
    const cwd = temporaryFolder();
    const gate = await startBinary(['proxy', target.url, '--record'], { cwd });
    rmSync(cwd, { recursive: true });
    expect(await statusesOf(gate, paths(2))).toEqual([200, 200]);
    const { code, stderr } = await gate.stop();
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('2 exchanges were not kept'),
    });
  },
);

it.skipIf(process.platform === 'win32')(
  'a working folder that is renamed keeps what is recorded',
  async () => {
    const target = await startTarget();
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'one'));
    const gate = await startBinary(['proxy', target.url, '--record'], { cwd: join(folder, 'one') });
    expect(await statusesOf(gate, ['/a'])).toEqual([200]);
    renameSync(join(folder, 'one'), join(folder, 'two'));
    expect(await statusesOf(gate, ['/b'])).toEqual([200]);
    expect((await gate.stop()).code).toBe(0);
    expect(readdirSync(folder)).toEqual(['two']);
    expect(readdirSync(join(folder, 'two', 'recordings', 'default')).sort()).toEqual(['a', 'b']);
  },
);

describe('a journal that cannot be written', () => {
  it.each([false, true])(
    'keeps no request waiting, and gets it later, if it can be written again: %s',
    async (again) => {
      const target = await startTarget();
      const cwd = temporaryFolder();
      const gate = await startBinary(['proxy', target.url, '--record'], { cwd });
      const root = join(cwd, 'recordings', 'default');
      const journal = join(root, '.patchgate', 'journal.1');
      mkdirSync(journal);
      expect(await statusesOf(gate, paths(5))).toEqual(Array(5).fill(200));
      const trouble = expect.stringContaining('journal');
      expect(await healthOf(gate)).toMatchObject({ status: 'degraded', trouble });
      await gate.said('only in memory, and lost if this process is killed', 'stderr');
      if (again) {
        rmdirSync(journal);
        await gate.said('works again: nothing is missing', 'stderr');
        expect((await healthOf(gate)).status).toBe('ok');
      }
      const { code, stderr } = await gate.stop();
      expect(stderr.match(/RECORDING FAILS/g)).toHaveLength(1);
      expect(code).toBe(again ? 0 : 2);
      if (again) expect(readdirSync(root).sort()).toEqual(['0', '1', '2', '3', '4']);
      else
        expect(stderr).toContain('patchgate: 5 exchanges were not kept in recordings/default: cannot write');
    },
  );
});

describe('a file that cannot be written', () => {
  it('gets at the next start what the journal has for it', async () => {
    const target = await startTarget();
    const cwd = temporaryFolder();
    const root = join(cwd, 'recordings', 'default');
    const gate = await startBinary(['proxy', target.url, '--record'], { cwd });
    // Where a folder is to be made.
    writeFileSync(join(root, 'a'), '');
    expect(await statusesOf(gate, ['/a/x', '/b'])).toEqual([200, 200]);
    await gate.said(/RECORDING FAILS.*Nothing is lost/, 'stderr');
    const { code, stderr } = await gate.stop();
    expect(code).toBe(2);
    expect(stderr).toMatch(/patchgate: cannot write recordings\/default\/a\/x\/GET.json: .*\n {2}make room/);
    expect(readdirSync(root)).toContain('b');
    rmSync(join(root, 'a'));
    await (await startRecorder(cwd, target.url)).gate.close();
    expect(readdirSync(join(root, 'a', 'x'))).toEqual(['GET.json']);
    expect(readdirSync(root)).not.toContain('.patchgate');
  });
});
