/** What only a process of its own shows of the commands. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { packed, ROOT, runBinary, runEnvironment, runProgram, startBinary } from '../support/binary.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { exchange } from '../support/exchanges.ts';
import { recordAll } from '../support/recordings.ts';
import { runHere } from '../support/run-here.ts';
import { patch, project } from '../support/service.ts';
import { freePort, startTarget } from '../support/target.ts';
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

it('a working folder that was deleted is no unexpected error', async () => {
  const args = [process.execPath, packed('dist/cli.js'), 'check', 'x'];
  const { code, stderr } = await runProgram('sh', ['-c', 'rmdir "$PWD" && exec "$@"', 'sh', ...args]);
  expect([code, stderr.split('\n')[0]]).toEqual([2, 'patchgate: the working folder was deleted']);
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
  const typo = { code: 3, stdout: expect.stringContaining('and 1042 created in its place') };
  expect(await plan()).toMatchObject(typo);
  await proxy.stop('SIGKILL');
  expect(await plan()).toMatchObject(typo);
});

const document = (name: string) => join(ROOT, 'test/contract/openapi', name);

it('proxy stands in front of any API that has an OpenAPI document', async () => {
  const patchState = async (path: string, state: string) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ state });
    return (await fetch(gate.url + path, { method: 'PATCH', headers, body })).status;
  };
  const target = await startTarget();
  const gate = await startBinary(['proxy', target.url, '--contract', document('github.json')]);
  expect(gate.stderr()).toMatch(/github\.json: 8 operations taken, none left out/);
  expect(await patchState('/user/memberships/orgs/o', 'active')).toBe(200);
  expect(await patchState('/user/memberships/orgs/o', 'pending')).toBe(422);
  expect(await patchState('/elsewhere', 'pending')).toBe(200);
});

it('contract import writes a folder that proxy takes', async () => {
  const cwd = temporaryFolder();
  const args = ['contract', 'import', document('petstore.yaml'), '--out', 'pets', '--methods', 'post,PUT'];
  const { code, stdout } = await runHere(args, { cwd });
  expect(stdout).toBe('pets: 5 operations taken, 0 left out, below /v2\n');
  expect(code).toBe(0);
  expect(readdirSync(join(cwd, 'pets')).sort()).toEqual(['contract.json', 'schemas.json']);
  const { operations } = JSON.parse(readFileSync(join(cwd, 'pets/contract.json'), 'utf8'));
  expect(operations.updateUser).toMatchObject({ method: 'PUT', path: '/user/{username}' });
  const checked = await runHere(['config', '--contract', 'pets'], { cwd });
  expect(checked.code).toBe(0);
  const again = await runHere(args, { cwd });
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('contract.json is there already') });
});

it('contract import exits with 2 where --strict left something out, and takes what --only names', async () => {
  const cwd = temporaryFolder();
  const text = readFileSync(document('petstore.yaml'), 'utf8').replaceAll('application/json', 'text/csv');
  writeFileSync(join(cwd, 'api.yaml'), text);
  const strict = ['contract', 'import', 'api.yaml', '--out', 'out', '--strict'];
  expect(await runHere(strict, { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no operation could be taken; POST /pet: its body is not JSON'),
  });
  const github = ['contract', 'import', document('github.json'), '--out', 'out'];
  const only = await runHere([...github, '--only', 'PATCH /orgs/**', '--strict'], { cwd });
  expect(only).toMatchObject({ code: 0, stdout: expect.stringContaining('2 operations taken') });
});

it.each([
  [['none.yaml', '--out', 'x'], /cannot read none\.yaml: .*\(?name an OpenAPI document/s],
  [['none.yaml'], /missing option: --out/],
  [['none.yaml', '--out', 'x', '--methods', 'GET'], /invalid value "GET" for --methods/],
])('refuses contract import %j', async (args, says) => {
  const { code, stderr } = await runHere(['contract', 'import', ...args]);
  expect(stderr).toMatch(says);
  expect(code).toBe(2);
});

// Config files that are programs, as Node loads them, and not as vitest does.

const CASES: [name: string, text: string, says: RegExp][] = [
  ['syntax.mjs', 'export default {\n  port: ],\n};', /^syntax\.mjs:2: Unexpected token ']'$/],
  ['cut-off.js', 'export default {\n', /^cut-off\.js:2: Unexpected end of input$/],
  [
    'no-export.mjs',
    "import { no } from 'node:fs';\nexport default {};",
    /^no-export\.mjs:1: .* export named 'no'$/,
  ],
  ['throws.mjs', 'const port = 1;\nthrow new Error("no luck\\nat all");', /^throws\.mjs:2:7: no luck$/],
  [
    'no-package.mjs',
    "import '@no/such-package/part';",
    /^no-package\.mjs.*: Cannot find package '@no\/such-package' /,
  ],
  ['commonjs.mjs', 'module.exports = {};', /^commonjs\.mjs:1:1: module is not defined in ES module scope$/],
  ['config.yaml', 'port: 1', /^config\.yaml: Unknown file /],
];

let said: Record<string, string>;
beforeAll(async () => {
  const folder = temporaryFolder();
  for (const [name, text] of CASES) writeFileSync(join(folder, name), text);
  // One process for all: each start of one takes longer than the rest.
  const program = `
    import { startFake } from ${JSON.stringify(pathToFileURL(packed('dist/testing.js')))};
    const said = {};
    for (const config of ${JSON.stringify(CASES.map(([name]) => name))})
      await startFake({ config }).catch((error) => ([said[config]] = error.message.split('\\n')));
    console.log(JSON.stringify(said));`;
  // In a file: what is given with -e has CommonJS's names, too.
  writeFileSync(join(folder, 'program.mjs'), program);
  const { stdout, stderr } = await runProgram(process.execPath, ['program.mjs'], { cwd: folder });
  expect(stderr).toBe('');
  said = JSON.parse(stdout);
});

describe('a config file that does not load', () => {
  it.each(CASES)('%s says why, and where', (name, _, says) => {
    expect(said[name]).toMatch(says);
  });
});

// npm has a shell between itself and what it starts, and tells that shell alone of a signal.
it.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGINT'] as const)(
  'npm start leaves nothing behind on %s',
  async (signal) => {
    const port = await freePort();
    // Without `prestart`: to build anew would change what other tests run at this moment.
    const args = ['start', '--ignore-scripts', '--', '--port', `${port}`, '--recordings', temporaryFolder()];
    const npm = spawn('npm', args, {
      ...{ cwd: ROOT, env: runEnvironment({}), detached: true },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    cleanUpLater(() => {
      try {
        process.kill(-(npm.pid as number), 'SIGKILL');
      } catch {
        // Nothing of its group runs any more.
      }
    });
    let said = '';
    npm.stdout.on('data', (text) => {
      said += text;
    });
    await expect.poll(() => said).toContain('The access log:');
    const isThere = () =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        () => false,
      );
    expect(await isThere()).toBe(true);
    // Ctrl-C is for all processes of a terminal.
    if (signal === 'SIGINT') process.kill(-(npm.pid as number), signal);
    else npm.kill(signal);
    await once(npm, 'exit');
    await expect.poll(() => isThere()).toBe(false);
  },
);
