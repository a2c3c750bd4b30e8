import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runScrub, type ScrubArgs, scrubRecording } from '../../../src/commands/recordings/scrub.ts';
import type { Exchange } from '../../../src/model/exchange.ts';
import { redactionOf } from '../../../src/recordings/redact/redaction.ts';
import { parseRecording } from '../../../src/recordings/store/file-format.ts';
import { locationOf } from '../../../src/recordings/store/location.ts';
import { openStore } from '../../../src/recordings/store.ts';
import { exchange, plainOf, stringifyRecording } from '../../support/exchanges.ts';
import { filesBelow, recordAll, textOutput, turn } from '../../support/recordings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SECRET = [exchange({ path: '/a', body: { json: { token: 'SECRET' } } })];
const CLEAN = [exchange({ path: '/b', body: { json: { plan: 'gold' } } })];

async function scrub(folder: string, parts: Partial<ScrubArgs> = {}) {
  const output = textOutput();
  const args = { folder, names: [], check: false, redaction: redactionOf(), ...parts };
  const code = await runScrub(args, output);
  return { code, text: output.text };
}

async function recorded(): Promise<string> {
  const folder = temporaryFolder();
  await recordAll(folder, 'bad', SECRET);
  await recordAll(folder, 'good', CLEAN);
  return folder;
}

describe('recordings scrub', () => {
  it('--check names places, not values, and changes nothing', async () => {
    const folder = await recorded();
    const before = filesBelow(folder);
    const { code, text } = await scrub(folder, { check: true });
    expect(code).toBe(1);
    expect(text).toContain(
      `${join(folder, 'bad', 'a', 'PATCH.json')}: /exchanges/0/request/body/json/token: `,
    );
    expect(text).toContain('secrets at 1 place in 2 recordings');
    expect(text).not.toContain('SECRET');
    expect(filesBelow(folder)).toEqual(before);
  });

  it('redacts, and is clean then', async () => {
    const folder = await recorded();
    const { code, text } = await scrub(folder);
    expect(code).toBe(0);
    expect(text).toContain('redacted 1 place in 2 recordings');
    expect(JSON.stringify(filesBelow(folder))).not.toContain('SECRET');
    expect(await scrub(folder, { check: true })).toEqual({ code: 0, text: 'no secrets in 2 recordings\n' });
  });

  it('takes the recordings that are named, and settings', async () => {
    const folder = await recorded();
    expect(await scrub(folder, { names: ['good'], check: true })).toMatchObject({ code: 0 });
    const redaction = redactionOf({ redact: ['/plan'] });
    expect(await scrub(folder, { names: ['good'], check: true, redaction })).toMatchObject({ code: 1 });
    await expect(scrub(folder, { names: ['god'] })).rejects.toMatchObject({ hint: 'did you mean "good"?' });
  });

  it('goes on to the others where one is broken, and fails then', async () => {
    const folder = await recorded();
    await recordAll(folder, 'a-broken', CLEAN);
    writeFileSync(join(folder, 'a-broken', 'b', 'PATCH.json'), '');
    const output = textOutput();
    const args = { folder, names: [], check: false, redaction: redactionOf() };
    await expect(runScrub(args, output)).rejects.toThrow('the file is empty');
    expect(output.text).toContain('redacted 1 place in 2 recordings');
  });
});

const redaction = redactionOf({ redact: ['/users/*/email'] });
const GITHUB = `ghp_${'a1B2'.repeat(9)}`;

/** Writes a file as somebody recorded it who hid nothing. */
function write(folder: string, exchanges: readonly Exchange[]): string {
  const { method, path } = (exchanges[0] as Exchange).request;
  const file = join(folder, 'r', locationOf(method, path));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, stringifyRecording(exchanges));
  return file;
}

const OF_ALL_KINDS = exchange({
  path: '/a',
  query: 'token=s3cret',
  body: { json: { users: [{ email: 's3cret' }] } },
  headers: { 'set-cookie': 's3cret', 'content-type': 'application/json' },
  answer: { text: `{ "password": "s3cret", "b": "${GITHUB}" }` },
});

describe('scrubRecording', () => {
  it('puts placeholders in the place of secrets, and says what it found without saying it', async () => {
    const folder = temporaryFolder();
    const file = write(folder, [exchange({ path: '/a' }), OF_ALL_KINDS]);
    const found = await scrubRecording(folder, 'r', redaction, { check: false });
    expect(found).toEqual([
      { file: 'a/PATCH.json', place: '/exchanges/1/request/query/token', what: 'the name "token"' },
      {
        file: 'a/PATCH.json',
        place: '/exchanges/1/request/body/json/users/0/email',
        what: 'the pointer /users/0/email',
      },
      {
        file: 'a/PATCH.json',
        place: '/exchanges/1/response/headers/set-cookie',
        what: 'the name "set-cookie"',
      },
      { file: 'a/PATCH.json', place: '/exchanges/1/response/body', what: 'the name "password"' },
      { file: 'a/PATCH.json', place: '/exchanges/1/response/body', what: 'a token' },
    ]);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(/s3cret|ghp_/);
    expect(parseRecording(text, file).exchanges[0]).toEqual(exchange({ path: '/a' }));
    // Once more: nothing is found, nothing is written.
    const { ino } = statSync(file);
    expect(await scrubRecording(folder, 'r', redaction, { check: false })).toEqual([]);
    expect(statSync(file).ino).toBe(ino);
  });

  it('changes nothing where it only checks, and reads the journal too', async () => {
    const folder = temporaryFolder();
    const file = write(folder, [OF_ALL_KINDS]);
    const before = readFileSync(file, 'utf8');
    const store = await openStore(folder, 'r', { writable: true });
    store.append(plainOf(exchange({ path: '/b', query: 'token=s3cret' })));
    await turn();
    const found = await scrubRecording(folder, 'r', redaction, { check: true });
    await store.close();
    expect(found.filter(({ file }) => file === 'a/PATCH.json').length).toBe(5);
    expect(found.at(-1)).toMatchObject({ place: 'exchange 1', what: 'the name "token"' });
    expect(readFileSync(file, 'utf8')).toBe(before);
    await scrubRecording(folder, 'r', redaction, { check: false });
    expect(readFileSync(join(folder, 'r', 'b', 'PATCH.json'), 'utf8')).not.toContain('s3cret');
  });

  it('tells of a secret in a path, which stays', async () => {
    const folder = temporaryFolder();
    const file = write(folder, [exchange({ path: `/hooks/${GITHUB}` })]);
    const before = readFileSync(file, 'utf8');
    for (const check of [true, false]) {
      const found = await scrubRecording(folder, 'r', redaction, { check });
      expect(found).toMatchObject([{ place: 'path', what: 'a token' }]);
    }
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});
