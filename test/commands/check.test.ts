import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import yargs from 'yargs';
import { check } from '../../src/commands/check.ts';

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

test('a recording is judged by what stands before in the same file', async () => {
  const file = join(folder, 'PATCH.json');
  const exchange = (...ids: number[]) => ({
    request: {
      ...{ method: 'PATCH', path: '/accounts/current/projects/42', query: '', headers: {} },
      body: {
        json: { name: 'a', languages: ['GO'], environments: ids.map((id) => ({ id, name: `e2e-${id}` })) },
      },
    },
    response: { status: 200, headers: {} },
    meta: { recordedAt: '2026-11-20T12:00:00.000Z', durationMs: 1 },
  });
  await writeFile(file, JSON.stringify({ formatVersion: 1, exchanges: [exchange(1, 2), exchange(1)] }));
  const guarded = await run(file, '--guard=on');
  expect(guarded).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('project.environment-deleted'),
  });
  expect((await run(file, '--guard=on', '--allow-delete', 'e2e-*')).output).not.toContain('error  project.');
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
