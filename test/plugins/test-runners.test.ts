// @module-tag python
/** The page on offline tests is a walk, in a project that has the package and the test runners from their registries. */
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

it('the page works when it is pasted: vitest and pytest', async () => {
  expect(await walk('docs/offline-tests.md', 'Your client', 'Recordings', project)).toEqual([]);
});

const BODY = `
    const gate = await startFake();
    const session = gate.session(test);
    const { status } = await fetch(gate.url + '/api/v2/accounts/current/projects/42', session);
    assert.equal(status, 200);
    assert.equal((await session.exchanges()).length, 1);
    assert.match(recordingName(test), /reads-a-project/);
    await session.assertNoMisses();`;

it.each([
  [
    'node:test',
    ['node', '--test', 'node.mjs'],
    `import { test as it } from 'node:test';`,
    '(test)',
    /pass 1/,
  ],
  ['mocha', ['npx', 'mocha', '--timeout', '60000', 'mocha.mjs'], '', '()', /1 passing/],
  [
    'Playwright',
    ['npx', 'playwright', 'test', 'playwright.spec.mjs'],
    `import { test as it } from '@playwright/test';`,
    '({}, test)',
    /1 passed/,
  ],
] as const)(
  '%s takes the library, and ends with an open gate',
  async (runner, [command, ...args], head, given, passed) => {
    if (runner === 'mocha') await npm('install', '--save-dev', 'mocha@11');
    if (runner === 'Playwright') await npm('install', '--save-dev', '@playwright/test@1.56');
    const file = args.at(-1) as string;
    const own = runner === 'mocha' ? 'const { test } = this;' : '';
    const program = `
    import assert from 'node:assert';
    import { recordingName, startFake } from 'patchgate/testing';
    ${head}
    it('reads a project', async function ${given} { ${own} ${BODY} });`;
    writeFileSync(join(project, file), program);
    const { code, stdout, stderr } = await runProgram(command, args, { cwd: project });
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringMatching(passed) });
  },
  300_000,
);
