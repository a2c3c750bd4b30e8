// @module-tag python
/** The pages on offline tests are a walk, in a project that has the package and the test runners from their registries. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ROOT, runProgram } from '../support/binary.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { walk } from '../support/walk.ts';

const QUIET = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

let project: string;
beforeAll(async () => {
  project = temporaryFolder();
  writeFileSync(
    join(project, 'package.json'),
    '{"name":"theirs","version":"1.0.0","type":"module","private":true}',
  );
  // As it was built: others use it at this moment.
  await npm('pack', '--ignore-scripts', '--pack-destination', project, ROOT);
  const [tarball = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  await npm('install', '--save-dev', `./${tarball}`, 'vitest@4.1');
}, 300_000);

async function npm(...args: string[]): Promise<void> {
  const { code, stderr } = await runProgram('npm', [...args, ...QUIET], { cwd: project });
  expect(code, stderr).toBe(0);
}

it('the pages work when they are pasted: vitest and pytest', async () => {
  const pages = ['docs/offline-tests.md', 'docs/node-library.md', 'docs/faults.md'];
  expect(await walk(pages, 'The one change in your client', undefined, project)).toEqual([]);
});

it('node:test takes the library by import, too', async () => {
  const test = `
    import assert from 'node:assert';
    import { test } from 'node:test';
    import { recordingName, startFake } from 'patchgate/testing';
    test('reads a project', async (t) => {
      const gate = await startFake();
      const { status } = await fetch(gate.url + '/api/v2/accounts/current/projects/42');
      assert.equal(status, 200);
      assert.match(recordingName(t), /reads-a-project/);
      await gate.close();
    });`;
  writeFileSync(join(project, 'import.test.mjs'), test);
  const { code, stdout } = await runProgram('node', ['--test', 'import.test.mjs'], { cwd: project });
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('# pass 1') });
});
