import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { outputsOf } from '../../../src/commands/check/outputs.ts';
import { type ReportIo, repositoryRoot, writeReports } from '../../../src/commands/check/write-reports.ts';
import type { Report } from '../../../src/reporters/report.ts';
import { SAMPLE_REPORT } from '../../reporters/sample-report.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

async function write(given: string[], parts: Partial<ReportIo> = {}, report: Report = SAMPLE_REPORT) {
  const said = { stdout: '', stderr: '' };
  const io: ReportIo = {
    cwd,
    stdout: (text) => {
      said.stdout += text;
    },
    stderr: (text) => {
      said.stderr += text;
    },
    ...parts,
  };
  await writeReports(report, outputsOf(given, cwd), io, 'error');
  return said;
}

const read = (file: string) => readFileSync(join(cwd, file), 'utf8');

test('several reports at once, each in its place, with the folders that it needs', async () => {
  const { stdout, stderr } = await write(['text', 'junit=a/b/r.xml', 'sarif=p.sarif', 'json=j']);
  expect(stdout).toMatch(/\n1 error, 2 warnings, .*\n$/);
  expect(stderr).toBe('');
  expect(read('a/b/r.xml')).toMatch(/^<\?xml .*\n<testsuites>/);
  expect(JSON.parse(read('p.sarif'))).toMatchObject({ version: '2.1.0' });
  expect(JSON.parse(read('j'))).toMatchObject({ version: 1 });
  expect(readdirSync(cwd).sort()).toEqual(['a', 'j', 'p.sarif']);
});

test('where all go to files, standard output stays empty and standard error sums up', async () => {
  const { stdout, stderr } = await write(['text=r.txt', 'json=j']);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^1 error, 2 warnings, .* in 3 files; written to r\.txt, j\n$/);
});

test('colours are for a terminal, not for a file', async () => {
  const { stdout } = await write(['text', 'json=j'], { isColoured: true });
  expect(stdout).toContain('\u001b[31merror');
  await write(['text=r.txt'], { isColoured: true });
  expect(read('r.txt')).not.toContain('\u001b');
});

test('a file that is there is replaced whole', async () => {
  writeFileSync(join(cwd, 'r.txt'), 'x'.repeat(100_000));
  await write(['text=r.txt']);
  expect(read('r.txt')).toMatch(/^recordings/);
});

test('a device takes the report as it is', async () => {
  symlinkSync('/dev/null', join(cwd, 'null'));
  await write(['json=null']);
  expect(readdirSync(cwd)).toEqual(['null']);
});

test('what is open already keeps what it has: -o /dev/stderr', async () => {
  const file = join(cwd, 'log');
  writeFileSync(file, 'before\n');
  const open = openSync(file, 'a');
  await write([`text=/dev/fd/${open}`]);
  closeSync(open);
  expect(read('log')).toMatch(/^before\nrecordings/);
});

describe('a file that cannot be written is named', () => {
  test.each([
    ['a folder', 'x', () => mkdirSync(join(cwd, 'x'))],
    ['below a file', 'x/r.json', () => writeFileSync(join(cwd, 'x'), '')],
  ])('%s', async (_, file, prepare) => {
    prepare();
    await expect(write([`json=${file}`])).rejects.toMatchObject({
      code: 'cannot-write',
      exitCode: 2,
      message: expect.stringContaining(file),
    });
  });

  test.runIf(existsSync('/proc'))('below a folder in which none can be made', async () => {
    await expect(write(['json=/proc/none/here/r.json'])).rejects.toMatchObject({ code: 'cannot-write' });
  });

  test.skipIf(process.getuid?.() === 0)('in a folder of somebody else', async () => {
    chmodSync(cwd, 0o500);
    await expect(write(['json=r.json'])).rejects.toMatchObject({ code: 'cannot-write' });
  });
});

describe('on GitHub', () => {
  test("the job's page gets a summary behind what it has", async () => {
    const page = join(cwd, 'page.md');
    writeFileSync(page, 'before\n');
    const env = { GITHUB_STEP_SUMMARY: page, GITHUB_WORKSPACE: cwd };
    const { stdout } = await write(['github'], { env });
    expect(stdout).toMatch(/^::error file=bodies\/bad\.json,/);
    expect(read('page.md')).toMatch(/^before\n### Patchgate: failed\n/);
  });

  test('that a page cannot be written is said', async () => {
    const env = { GITHUB_STEP_SUMMARY: join(cwd, 'none', 'page.md') };
    await expect(write(['github'], { env })).rejects.toMatchObject({
      code: 'cannot-write',
      message: expect.stringContaining('GITHUB_STEP_SUMMARY'),
    });
  });

  test('other formats leave the page alone', async () => {
    const page = join(cwd, 'page.md');
    await write(['text'], { env: { GITHUB_STEP_SUMMARY: page } });
    expect(existsSync(page)).toBe(false);
  });

  test('files are relative to the workspace', async () => {
    const inner = join(cwd, 'gate');
    mkdirSync(inner);
    const { stdout } = await write(['github'], { cwd: inner, env: { GITHUB_WORKSPACE: cwd } });
    expect(stdout).toContain('::error file=gate/bodies/bad.json,');
  });
});

describe('the root that files are relative to', () => {
  test.each([
    [{}, '/repo/gate'],
    [{ GITHUB_WORKSPACE: '/repo' }, '/repo'],
    [{ GITHUB_WORKSPACE: '/elsewhere' }, '/repo/gate'],
    [{ GITHUB_WORKSPACE: '/rep' }, '/repo/gate'],
    [{ GITHUB_WORKSPACE: '' }, '/repo/gate'],
    [{ GITHUB_WORKSPACE: '../'.repeat(20) }, '/repo/gate'],
  ])('%j: %s', (env, root) => {
    expect(repositoryRoot('/repo/gate', env)).toBe(root);
  });
});
