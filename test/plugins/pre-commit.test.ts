// @module-tag git
// @module-tag pre-commit
/** The hook, installed and run by pre-commit in somebody's repository. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type Ended, runProgram } from '../support/binary.ts';
import { project } from '../support/bodies.ts';
import { blocksBelow, REPOSITORY } from '../support/ci-page.ts';
import { exchange } from '../support/exchanges.ts';
import { writeRecording } from '../support/recorded-folder.ts';
import { git, snapshot } from '../support/snapshot.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let hooks: string;
let home: string;
beforeAll(async () => {
  hooks = await snapshot();
  home = temporaryFolder();
});

const [config = ''] = blocksBelow('pre-commit', 'yaml');

/** A repository with a config of the page. */
async function repositoryWith(block: string): Promise<string> {
  const folder = temporaryFolder();
  await git(folder, 'init', '--quiet');
  const rev = (await git(hooks, 'rev-parse', 'HEAD')).trim();
  const own = block.replace(REPOSITORY, hooks).replace('rev: REF', `rev: ${rev}`);
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

it('has a manifest that pre-commit takes', async () => {
  const validated = await runProgram('pre-commit', ['validate-manifest', '.pre-commit-hooks.yaml'], {
    cwd: hooks,
  });
  expect(validated, validated.stdout).toMatchObject({ code: 0 });
});

it('judges all recordings where one is part of the commit', async () => {
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

it('judges single bodies of the commit where it is told so', async () => {
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
