import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runScrub, type ScrubArgs } from '../../../src/commands/recordings/scrub.ts';
import { redactionOf } from '../../../src/recordings/redaction/redaction.ts';
import { exchange } from '../../support/exchanges.ts';
import { filesBelow, recordAll, textOutput } from '../../support/recordings.ts';
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
    const redaction = redactionOf({ redactPointers: ['/plan'] });
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
