// @module-tag git
/** Patchgate built from its repository by others: nothing that is built is in git. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { runAction } from '../support/action.ts';
import { runProgram } from '../support/binary.ts';
import { project } from '../support/bodies.ts';
import { snapshot } from '../support/snapshot.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let repository: string;
let cwd: string;
beforeAll(async () => {
  repository = await snapshot();
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'good.json'), JSON.stringify(project()));
  writeFileSync(join(cwd, 'bad.json'), '{"name":"Checkout"}');
});

it('npm builds it for a project that depends on the repository', async () => {
  writeFileSync(
    join(cwd, 'package.json'),
    '{"name":"theirs","version":"1.0.0","type":"module","private":true}',
  );
  const install = ['install', '--save-dev', '--no-audit', '--no-fund', `git+file://${repository}`];
  const installed = await runProgram('npm', install, { cwd });
  expect(installed.code, installed.stderr).toBe(0);
  const check = ['--no-install', 'patchgate', 'check', '--operation=updateProject', 'good.json', 'bad.json'];
  const checked = await runProgram('npx', check, { cwd });
  expect(checked, checked.stderr).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('/languages is missing'),
  });
  const { exports } = JSON.parse(readFileSync(join(cwd, 'node_modules/patchgate/package.json'), 'utf8'));
  const promised = filesIn(exports).filter((file) => !file.includes('*'));
  expect(promised).toContain('./dist/types/index.d.ts');
  const missing = promised.filter((file) => !existsSync(join(cwd, 'node_modules/patchgate', file)));
  expect(missing).toEqual([]);
});

// npm links to a clone that it then deletes, but for that option: https://github.com/npm/cli/issues/9406
it('npm builds it for all projects of a machine, as pre-commit 4.6 has it do', async () => {
  const prefix = temporaryFolder();
  const install = [
    'install',
    '--global',
    '--install-links',
    '--no-audit',
    '--no-fund',
    `git+file://${repository}`,
  ];
  const installed = await runProgram('npm', install, { cwd, env: { npm_config_prefix: prefix } });
  expect(installed.code, installed.stderr).toBe(0);
  const check = ['check', '--operation=updateProject', 'good.json'];
  const checked = await runProgram(join(prefix, 'bin', 'patchgate'), check, { cwd });
  expect(checked, checked.stderr).toMatchObject({ code: 0 });
});

it('the GitHub Action builds it once, and runs it', async () => {
  const inputs = { files: 'good.json', args: '--operation=updateProject' };
  const first = await runAction({ path: repository, workspace: cwd, inputs });
  expect(first, first.stdout + first.stderr).toMatchObject({ code: 0, outputs: { 'exit-code': '0' } });
  expect(first.stdout).toContain('build/build.mjs');
  const second = await runAction({
    path: repository,
    workspace: cwd,
    inputs: { ...inputs, files: 'bad.json' },
  });
  expect(second).toMatchObject({ code: 1, stdout: expect.stringContaining('::error file=bad.json,line=1') });
  expect(second.stdout).not.toContain('build/build.mjs');
});

/** The files that the conditions of `exports` lead to. */
function filesIn(conditions: string | object): string[] {
  return typeof conditions === 'string' ? [conditions] : Object.values(conditions).flatMap(filesIn);
}
