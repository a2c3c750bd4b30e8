import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import yargs from 'yargs';
import { type BaselineWishes, check, whichBaseline } from '../../src/commands/check.ts';
import { refusal } from '../support/errors.ts';

let folder: string;
let body: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchgate-check-'));
  body = join(folder, 'body.json');
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
  await rm(folder, { recursive: true });
});

/** The exit code and what was written to standard output. */
async function run(...args: string[]) {
  let output = '';
  vi.spyOn(process.stdout, 'write').mockImplementation(((text: string, done: () => void) => {
    output += text;
    done();
    return true;
  }) as typeof process.stdout.write);
  await yargs(['check', ...args])
    .command([{ ...check, command: 'check <inputs..>' }])
    .strict()
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new Error(message);
    })
    .parseAsync();
  return { exitCode: process.exitCode, output };
}

test('judges with the contract of the package, and says so by its exit code', async () => {
  await writeFile(body, '{"description": "x"}');
  const good = await run(body, '--operation', 'updateFeature');
  expect(good).toMatchObject({ exitCode: 0, output: expect.stringContaining('no findings') });

  await writeFile(body, '{"description": 1}');
  const bad = await run(body, '--path', '/accounts/current/features/7', '--format', 'json');
  expect(bad.exitCode).toBe(1);
  expect(JSON.parse(bad.output)).toMatchObject({ summary: { errors: 1 } });
});

test('takes its settings like any command: --fail-on', async () => {
  await writeFile(body, '{}');
  expect((await run(body, '--operation', 'updateFeature')).exitCode).toBe(0);
  expect((await run(body, '--operation', 'updateFeature', '--fail-on', 'warn')).exitCode).toBe(1);
});

test('the guard is asked for by an option', async () => {
  await writeFile(body, '{"name": "a", "languages": ["GO"], "environments": []}');
  expect((await run(body, '--operation', 'updateProject')).exitCode).toBe(0);
  expect((await run(body, '--operation', 'updateProject', '--guard=on')).exitCode).toBe(1);
});

test('judges even where the environment turns the validation of a proxy off', async () => {
  vi.stubEnv('PATCHGATE_VALIDATION', 'off');
  await writeFile(body, '{"description": 1}');
  expect((await run(body, '--operation', 'updateFeature')).exitCode).toBe(1);
});

test('an unknown format is refused', async () => {
  await writeFile(body, '{}');
  await expect(run(body, '--operation', 'updateFeature', '--format', 'xml')).rejects.toThrow('format');
});

describe('what is known', () => {
  const project = (...ids: number[]) => ({
    name: 'Checkout',
    languages: ['GO'],
    environments: ids.map((id) => ({ id, name: `e2e-${id}`, isEnabled: id === 1 })),
  });
  const AS_77 = ['--path', '/accounts/77/projects/42'];
  let state: string;
  beforeEach(async () => {
    state = join(folder, 'state.json');
    await writeFile(state, JSON.stringify({ accounts: { 78: { projects: { 42: project(1, 2) } } } }));
    await writeFile(body, JSON.stringify(project(1)));
  });

  test('is what --state says', async () => {
    const as78 = ['--path', '/accounts/78/projects/42', '--guard=on'];
    expect((await run(body, ...as78)).exitCode).toBe(0);
    const lost = await run(body, ...as78, '--state', state, '--format', 'json');
    expect(lost.exitCode).toBe(1);
    const { subjects } = JSON.parse(lost.output).files[0];
    expect(subjects[0].effects).toEqual([{ kind: 'environment-deleted', id: 2, name: 'e2e-2' }]);
    expect((await run(body, ...as78, '--state', state, '--allow-delete', 'e2e-*')).exitCode).toBe(0);
    await expect(run(body, ...as78, '--state', `${state}x`)).rejects.toMatchObject({ code: 'bad-input' });
  });

  test('is under --account what it is under current', async () => {
    const current = ['--path', '/accounts/current/projects/42', '--state', state, '--guard=on'];
    expect((await run(body, ...current, '--account', '78')).exitCode).toBe(1);
    expect((await run(body, ...current, '--account', '77')).exitCode).toBe(0);
  });

  test('is not what a proxy of the same surroundings keeps', async () => {
    vi.stubEnv('PATCHGATE_STATE', join(folder, 'none.json'));
    expect((await run(body, ...AS_77)).exitCode).toBe(0);
  });

  test('must be something under --guard=strict', async () => {
    expect((await run(body, ...AS_77, '--guard=on')).exitCode).toBe(0);
    const strict = await run(body, ...AS_77, '--guard=strict');
    expect(strict).toMatchObject({ exitCode: 1, output: expect.stringContaining('project.state-unknown') });
  });
});

test('writes a report into a file', async () => {
  await writeFile(body, '{"description": 1}');
  const report = join(folder, 'report.xml');
  const { exitCode, output } = await run(
    body,
    '--operation',
    'updateFeature',
    `--format=junit=${report}`,
    '-f',
    'text',
  );
  expect(exitCode).toBe(1);
  expect(output).toContain('error  schema.type');
  expect(await readFile(report, 'utf8')).toContain('<failure ');
});

describe('which baseline is asked', () => {
  const NONE: BaselineWishes = {
    baseline: undefined,
    isFlag: false,
    writeBaseline: undefined,
    againstContract: undefined,
  };
  const SET = { baseline: 'known.json' };
  const FLAG = { baseline: 'known.json', isFlag: true };

  test.each([
    [{}, { writeBaseline: false }],
    [SET, { baseline: 'known.json', writeBaseline: false }],
    [{ writeBaseline: '' }, { baseline: 'patchgate-baseline.json', writeBaseline: true }],
    [
      { ...SET, writeBaseline: '' },
      { baseline: 'known.json', writeBaseline: true },
    ],
    [
      { ...SET, writeBaseline: 'new.json' },
      { baseline: 'new.json', writeBaseline: true },
    ],
    [
      { ...FLAG, writeBaseline: 'known.json' },
      { baseline: 'known.json', writeBaseline: true },
    ],
    [
      { ...SET, againstContract: 'old' },
      { baseline: 'known.json', writeBaseline: false },
    ],
  ])('%j', (wishes, which) => {
    expect(whichBaseline({ ...NONE, ...wishes })).toEqual(which);
  });

  test.each([
    [{ ...FLAG, writeBaseline: 'new.json' }, '--baseline known.json and --write-baseline=new.json name two'],
    [{ ...FLAG, againstContract: 'old' }, '--against-contract and --baseline cannot be given together'],
    [{ writeBaseline: '', againstContract: 'old' }, '--against-contract and --write-baseline cannot be'],
  ])('%j go ill together', (wishes, message) => {
    expect(refusal('bad-usage', () => whichBaseline({ ...NONE, ...wishes }))).toContain(message);
  });
});
