// @module-tag postgres
/** The commands for recordings with --store, as a user types them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exchange } from '../support/exchanges.ts';
import { openAt, type Postgres, startPostgres } from '../support/postgres.ts';
import { recordAll } from '../support/recordings.ts';
import { runHere } from '../support/run-here.ts';
import { recordStored } from '../support/stored-recording.ts';
import { freePort } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

let cwd: string;
let url: string;
/** How the database is called in messages. */
let shown: string;
const run = (...args: string[]) => runHere(['recordings', ...args], { cwd, env: { PATCHGATE_STORE: url } });

/** A recording of three exchanges in files and in the database. */
beforeEach(async () => {
  cwd = temporaryFolder();
  url = await server.database();
  shown = url.replace('postgres@', '');
  const all = [
    exchange({
      path: '/api/a',
      body: { json: { a: "it's" } },
      answer: { json: 1 },
      recordedAt: '2026-01-01T00:00:00.000Z',
    }),
    exchange({ path: '/api/b', body: { json: { b: 1 } }, answer: { json: 2 } }),
    exchange({ path: '/api/b', method: 'GET', answer: { json: { name: 'Ada' } } }),
  ];
  await recordAll(join(cwd, 'recordings'), 'checkout', all);
  await recordStored(await openAt(url), 'checkout', all);
});

describe('recordings in the database', { tags: 'slow' }, () => {
  it('are listed', async () => {
    const { code, stdout } = await run('list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^checkout +3 +GET 1, PATCH 2 /m);
  });

  it.each([
    ['show', 'checkout'],
    ['show', 'checkout', '2'],
    ['show', 'checkout', '--path', '/api/b'],
    ['show', 'checkout', '1', '2', '3'],
    ['show', 'checkout', '--method', 'DELETE'],
    ['show', 'checkout', '9'],
    ['export', 'checkout'],
    ['export', 'checkout', '--method', 'PATCH'],
  ])('are told of as those of files: %s %s %s', async (...args) => {
    const ofDatabase = await run(...args);
    const ofFiles = await runHere(['recordings', ...args], { cwd });
    expect(ofDatabase).toEqual(ofFiles);
    expect(ofDatabase.stdout + ofDatabase.stderr).not.toBe('');
  });

  it('are scrubbed', async () => {
    const scrub = (...more: string[]) => run('scrub', '--redact', '/name', ...more);
    const line = `${shown}/checkout/api/b/GET.json: /exchanges/0/response/body/json/name\n`;
    expect(await scrub('--check')).toMatchObject({ code: 1, stdout: expect.stringContaining(line) });
    expect((await run('show', 'checkout', '1', '2', '3')).stdout).toContain('Ada');
    expect(await scrub('checkout')).toEqual({
      code: 0,
      stdout: `${line}redacted 1 place in 1 recording\n`,
      stderr: '',
    });
    expect((await run('show', 'checkout', '1', '2', '3')).stdout).not.toContain('Ada');
    expect(await scrub('--check')).toMatchObject({ code: 0 });
  });

  it('are removed, in part and whole', async () => {
    expect(await run('prune', 'checkout', '--method', 'GET')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`it would remove 1 of 3 exchanges of ${shown}/checkout`),
    });
    expect(await run('prune', 'checkout', '--path', '/api/a', '--yes')).toEqual({
      code: 0,
      stdout: `removed 1 of 3 exchanges of ${shown}/checkout\n`,
      stderr: '',
    });
    expect((await run('list')).stdout).toMatch(/^checkout +2 /m);
    expect(await run('prune', 'checkout', '--path', '/nope', '--yes')).toMatchObject({ code: 2 });
    expect(await run('prune', 'checkout', '--path', '*', '-y')).toMatchObject({
      code: 0,
      stdout: `removed 2 of 2 exchanges of ${shown}/checkout\n`,
    });
    expect((await run('list')).stdout).toBe(`no recordings in ${shown}\n`);
  });

  it('take in archives', async () => {
    const file = join(cwd, 'x.har');
    writeFileSync(file, (await run('export', 'checkout')).stdout);
    expect(await run('import', 'x.har', '--recording', 'checkout')).toMatchObject({
      code: 0,
      stdout: `imported 3 exchanges into ${shown}/checkout\n`,
    });
    expect((await run('list')).stdout).toMatch(/^checkout +3 /m);
    expect(await run('import', 'x.har', '--recording', 'other')).toMatchObject({ code: 0 });
    expect((await run('list')).stdout).toMatch(/^other +3 /m);
  });
});

describe('recordings that cannot be had', { tags: 'slow' }, () => {
  it.each([
    ['show', 'chekout'],
    ['export', 'chekout'],
    ['scrub', 'chekout'],
    ['prune', 'chekout', '--path', '*', '-y'],
  ])('are missing: %s', async (...args) => {
    expect(await run(...args)).toEqual({
      code: 2,
      stdout: '',
      stderr: `patchgate: there is no recording "chekout" in ${shown} (there are: checkout)\n  did you mean "checkout"?\n`,
    });
  });

  it.each([
    [['list']],
    [['show', 'checkout']],
    [['scrub']],
    [['prune', 'checkout', '--path', '*', '-y']],
    [['import', 'x.har']],
    [['export', 'checkout']],
  ])('are away with the database: %s', async (args) => {
    url = `postgres://me:hush@127.0.0.1:${await freePort()}/gates`;
    writeFileSync(join(cwd, 'x.har'), '{ "log": { "version": "1.2", "entries": [] } }');
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^patchgate: the database .*ECONNREFUSED.*\n {2}see whether it runs.+\n$/);
    expect(stderr).not.toContain('hush');
  });
});
