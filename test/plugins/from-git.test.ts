// @module-tag git
/** Patchgate built from its repository by others, npm, GitHub and pre-commit: nothing that is built is in git. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { runAction } from '../support/action.ts';
import { type Ended, ROOT, runProgram } from '../support/binary.ts';
import { project } from '../support/bodies.ts';
import { exchange } from '../support/exchanges.ts';
import { writeRecording } from '../support/recorded-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { blocksBelow } from '../support/walk.ts';

/** Runs git, with no hook or signature of the user's. @returns what it says */
async function git(cwd: string, ...args: string[]): Promise<string> {
  const settings = [
    'user.name=Test',
    'user.email=test@example.com',
    'commit.gpgSign=false',
    'core.hooksPath=/dev/null',
  ];
  const given = [...settings.flatMap((setting) => ['-c', setting]), ...args];
  const { code, stdout, stderr } = await runProgram('git', given, { cwd });
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** A repository with one commit: the files here that git has or would take, with their changes. @returns its folder */
async function snapshot(): Promise<string> {
  const folder = temporaryFolder();
  const listed = await git(ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard');
  const deleted = new Set((await git(ROOT, 'ls-files', '-z', '--deleted')).split('\0'));
  for (const file of listed.split('\0').filter((name) => name !== '' && !deleted.has(name))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(folder, file));
  }
  await git(folder, 'init', '--quiet');
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--message', 'as it stands');
  return folder;
}

let repository: string;
let cwd: string;
let home: string;
beforeAll(async () => {
  repository = await snapshot();
  cwd = temporaryFolder();
  home = temporaryFolder();
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
  expect(promised).toContain('./dist/types/testing/index.d.ts');
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

const [config = ''] = blocksBelow('docs/ci.md', 'pre-commit', 'yaml');

/** A repository with a config of the page. */
async function repositoryWith(block: string): Promise<string> {
  const folder = temporaryFolder();
  await git(folder, 'init', '--quiet');
  const rev = (await git(repository, 'rev-parse', 'HEAD')).trim();
  const own = block
    .replace('https://git.example.com/OWNER/patchgate', repository)
    .replace('rev: REF', `rev: ${rev}`);
  // The Node.js of this machine, as newer versions of pre-commit take it by themselves.
  writeFileSync(
    join(folder, '.pre-commit-config.yaml'),
    `default_language_version: { node: system }\n${own}`,
  );
  return folder;
}

/** What a commit would run: the hook on what is staged. */
async function commit(cwd: string): Promise<Ended> {
  await git(cwd, 'add', '--all');
  return runProgram('pre-commit', ['run', '--color', 'never'], { cwd, env: { PRE_COMMIT_HOME: home } });
}

it('pre-commit takes its manifest', { tags: 'pre-commit' }, async () => {
  const validated = await runProgram('pre-commit', ['validate-manifest', '.pre-commit-hooks.yaml'], {
    cwd: repository,
  });
  expect(validated, validated.stdout).toMatchObject({ code: 0 });
});

it('pre-commit judges all recordings where one is part of the commit', { tags: 'pre-commit' }, async () => {
  const cwd = await repositoryWith(config);
  writeFileSync(join(cwd, 'notes.txt'), 'nothing to judge\n');
  const other = await commit(cwd);
  expect(other, other.stdout).toMatchObject({ code: 0, stdout: expect.stringContaining('Skipped') });

  writeRecording(join(cwd, 'recordings', 'ours'), [exchange({ body: { json: project() } })]);
  const good = await commit(cwd);
  expect(good, good.stdout).toMatchObject({ code: 0, stdout: expect.stringContaining('Passed') });
  await git(cwd, 'commit', '--quiet', '--message', 'one that is good');

  writeRecording(join(cwd, 'recordings', 'theirs'), [exchange({ body: { json: { name: 'Checkout' } } })]);
  const bad = await commit(cwd);
  expect(bad, bad.stdout).toMatchObject({ code: 1, stdout: expect.stringContaining('Failed') });
  expect(bad.stdout).toContain('/languages is missing');
  // The files of before are judged with it.
  expect(bad.stdout).toContain('2 requests judged');
});

it('pre-commit judges single bodies of the commit where it is told so', { tags: 'pre-commit' }, async () => {
  const cwd = await repositoryWith(config);
  mkdirSync(join(cwd, 'bodies'));
  writeFileSync(join(cwd, 'bodies', 'a b.json'), JSON.stringify(project()));
  const good = await commit(cwd);
  expect(good, good.stdout).toMatchObject({ code: 0, stdout: expect.stringContaining('Passed') });
  await git(cwd, 'commit', '--quiet', '--message', 'one that is good');

  writeFileSync(join(cwd, 'bodies', 'bad.json'), '{"name":"Checkout"}');
  const bad = await commit(cwd);
  expect(bad, bad.stdout).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('/languages is missing'),
  });
  expect(bad.stdout).toContain('1 request judged');
});
