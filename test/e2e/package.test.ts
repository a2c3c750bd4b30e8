/** What is published: the tarball, in a project that has nothing else but the packages that it needs. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packed as installedFile, ROOT, runProgram } from '../support/binary.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
/** npm's own notices are none of ours. */
const QUIET = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

/** What TypeScript says of files of the project. */
async function typeErrors(...files: string[]): Promise<string> {
  const options =
    '--ignoreConfig --noEmit --strict --skipLibCheck --target es2022 --lib esnext --module nodenext';
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = await runProgram(process.execPath, [tsc, ...options.split(' '), ...files], {
    cwd: project,
  });
  return stdout;
}

let project: string;
/** What `npx patchgate` runs, without the time that npx takes. */
let command: string;
let packed: { files: { path: string }[] };
beforeAll(async () => {
  // Without scripts: to build anew would change what other tests run at this moment.
  const pack = await runProgram(npm, ['pack', '--json', '--dry-run', '--ignore-scripts', ...QUIET], {
    cwd: ROOT,
  });
  expect(pack.code, pack.stderr).toBe(0);
  packed = JSON.parse(pack.stdout)[0];
  project = temporaryFolder();
  command = join(project, 'node_modules', '.bin', 'patchgate');
  // As npm lays it out, without a network.
  mkdirSync(join(command, '..'), { recursive: true });
  symlinkSync(installedFile(), join(project, 'node_modules', 'patchgate'), 'junction');
  symlinkSync(installedFile('dist/cli.js'), command);
  writeFileSync(
    join(project, 'package.json'),
    '{"name":"fresh","version":"1.0.0","type":"module","private":true}',
  );
}, 60_000);

describe('the package', () => {
  it('holds what it says, and nothing else', () => {
    const tops = new Set(packed.files.map(({ path }) => path.split('/')[0]));
    expect([...tops].sort()).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'bench',
      'dist',
      'docs',
      'package.json',
      'schemas',
    ]);
    const paths = packed.files.map(({ path }) => path);
    const needed = ['dist/cli.js', 'dist/testing.js', 'dist/types/testing/index.d.ts'];
    expect(paths).toEqual(
      expect.arrayContaining([
        ...needed,
        ...['index.html', 'app.js', 'style.css'].map((name) => `dist/ui/${name}`),
        'schemas/contract.json',
        'schemas/config/patchgate.config.schema.json',
        ...['contract', 'state', 'har'].map((name) => `schemas/files/${name}.schema.json`),
      ]),
    );
    expect(paths.filter((path) => /\.(?:map|test\.|env|tgz)|(?:^|\/)\./.test(path))).toEqual([]);
    // No path of the machine that built it.
    for (const file of paths.filter((path) => path.endsWith('.js')))
      expect(readFileSync(join(ROOT, file), 'utf8')).not.toContain(ROOT);
  });

  it('has all packages that it needs as dependencies', () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const code = packed.files
      .filter(({ path }) => /^dist\/[^/]*\.js$/.test(path))
      .map(({ path }) => readFileSync(join(ROOT, path), 'utf8'))
      .join('');
    const needed = [...code.matchAll(/(?:\bfrom ?|\bimport ?\(?)"(@?[a-z][\w./-]*)"/g)].map(
      ([, name = '']) => name,
    );
    expect(needed).toContain('express');
    const packages = new Set(
      needed.filter((name) => !isBuiltin(name)).map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0]),
    );
    const listed = Object.keys({ ...dependencies, ...peerDependencies });
    expect([...packages].filter((name) => !listed.includes(name as string))).toEqual([]);
  });

  it('has a command', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const { code, stdout } = await runProgram('npx', ['--no-install', 'patchgate', '--version'], {
      cwd: project,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` });
    const checked = await runProgram(command, ['check', '--operation', 'updateProject', '-'], {
      ...{ cwd: project, stdin: '{"name":"x"}' },
    });
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain('/languages');
  });

  it('can be imported', async () => {
    const program = `
      import { invalidBodies } from 'patchgate/testing';
      import contract from 'patchgate/schemas/contract.json' with { type: 'json' };
      for (const operation of Object.keys(contract.operations))
        if ((await invalidBodies(operation)).length > 0) console.log(operation);`;
    const { stdout, code } = await runProgram(
      process.execPath,
      ['--no-warnings', '--input-type=module', '-e', program],
      {
        cwd: project,
      },
    );
    expect({ stdout, code }).toEqual({ stdout: 'updateProject\nupdateFeature\nupdateDraft\n', code: 0 });
  });

  it('can be required', async () => {
    const program = `
      const { startReplay, PatchgateError } = require('patchgate/testing');
      const { defineConfig } = require('patchgate/config');
      console.log(typeof defineConfig);
      startReplay({ recording: 'nothing' }).catch((error) => console.log(error instanceof PatchgateError));`;
    writeFileSync(join(project, 'library.cjs'), program);
    const { stdout, stderr, code } = await runProgram(process.execPath, ['library.cjs'], { cwd: project });
    expect({ stdout, code, stderr }).toEqual({ stdout: 'function\ntrue\n', code: 0, stderr: '' });
  });

  it('has what a config file imports, which loads no package', async () => {
    writeFileSync(
      join(project, 'patchgate.config.js'),
      "import { defineConfig } from 'patchgate/config';\nexport default defineConfig({ timeout: '90s' });",
    );
    const { stdout, code } = await runProgram(command, ['config'], { cwd: project });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Config file: patchgate\.config\.js\ntimeout: 90s \(patchgate\.config\.js\)\n/,
      ),
    });
    const loaded = ['define-config.js'];
    for (const file of loaded)
      for (const [, name = ''] of readFileSync(installedFile(`dist/${file}`), 'utf8').matchAll(
        /\b(?:import|from) ?"([^"]+)"/g,
      ))
        loaded.push(name);
    expect(loaded.filter((name) => !/^(?:\.\/)?[\w-]+\.js$/.test(name))).toEqual([]);
  });

  it('has types for modules and for what requires them', async () => {
    const program = `
      import { PatchgateError, startReplay, type TestGate } from 'patchgate/testing';
      export const gate: Promise<TestGate> = startReplay({ recording: 'checkout' });
      export const hintOf = (error: unknown) => (error instanceof PatchgateError ? error.hint : undefined);
      // @ts-expect-error: there is no such option.
      void startReplay({ recordnig: 'checkout' });`;
    for (const file of ['library.mts', 'library.cts']) writeFileSync(join(project, file), program);
    expect(await typeErrors('library.mts', 'library.cts')).toBe('');
  });

  it.each(['mjs', 'cjs'])(
    'shows the message of an error that nobody caught, not itself (%s)',
    async (type) => {
      const load = type === 'mjs' ? 'import { startReplay } from' : 'const { startReplay } = require(';
      const program = `${load} 'patchgate/testing'${type === 'mjs' ? '' : ')'};\nstartReplay({ recordng: 'x' });`;
      writeFileSync(join(project, `uncaught.${type}`), program);
      const { code, stderr } = await runProgram(process.execPath, [`uncaught.${type}`], { cwd: project });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining('did you mean "recording"?'),
      });
      expect(stderr.length).toBeLessThan(2_000);
    },
  );

  it('tests a rule of a team, whose page shows how', async () => {
    cpSync(join(ROOT, 'test', 'support', 'team'), join(project, 'team'), { recursive: true });
    const { code, stdout } = await runProgram(process.execPath, ['--test', 'team/rules.test.mjs'], {
      cwd: project,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^(?:#|ℹ) pass 2$/m) });
  });
});
