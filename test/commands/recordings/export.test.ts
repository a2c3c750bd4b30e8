import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ExportArgs, runExport } from '../../../src/commands/recordings/export.ts';
import { runImport } from '../../../src/commands/recordings/import.ts';
import type { Exchange } from '../../../src/model/exchange.ts';
import { NO_ORIGIN } from '../../../src/recordings/har/har.ts';
import { matchRules } from '../../../src/recordings/match-rules.ts';
import { redactionOf } from '../../../src/recordings/redact/redaction.ts';
import { exchange } from '../../support/exchanges.ts';
import { filesBelow, recordAll, textOutput } from '../../support/recordings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const EXCHANGES = [
  exchange({
    path: '/a',
    body: { json: { a: 1 } },
    answer: { json: 1 },
    recordedAt: '2026-11-20T12:00:03.000Z',
  }),
  exchange({
    path: '/a',
    body: { json: { a: 1 } },
    answer: { json: 2 },
    recordedAt: '2026-11-20T12:00:01.000Z',
    session: 'a "test"',
  }),
  exchange({ path: '/b', method: 'GET', answer: { base64: Buffer.alloc(9000, 255).toString('base64') } }),
];

async function exportOf(folder: string, parts: Partial<ExportArgs> = {}): Promise<string> {
  const output = textOutput();
  const args: ExportArgs = {
    folder,
    name: 'x',
    selection: {},
    base: NO_ORIGIN,
    redaction: redactionOf(),
    version: '1',
    ...parts,
  };
  await runExport(args, output);
  return output.text;
}

async function recorded(exchanges: readonly Exchange[]): Promise<string> {
  const folder = temporaryFolder();
  await recordAll(folder, 'x', exchanges);
  return folder;
}

describe('recordings export', () => {
  it('and import give the same files, sequences included', async () => {
    const folder = await recorded(EXCHANGES);
    const file = join(folder, 'x.har');
    writeFileSync(file, await exportOf(folder));
    await runImport({
      files: [file],
      folder,
      name: 'y',
      only: [],
      replace: false,
      durability: 'process',
      notice: () => undefined,
      rules: matchRules({}, redactionOf()),
    });
    expect(filesBelow(join(folder, 'y'))).toEqual(filesBelow(join(folder, 'x')));
    expect(Object.keys(filesBelow(join(folder, 'y')))).toHaveLength(2);
  });

  it('has the URLs that it is given, and only what is selected', async () => {
    const folder = await recorded(EXCHANGES);
    const { log } = JSON.parse(await exportOf(folder, { base: 'https://h/v2', selection: { path: '/b' } }));
    expect(log.creator).toEqual({ name: 'patchgate', version: '1' });
    expect(log.entries.map((entry: { request: { url: string } }) => entry.request.url)).toEqual([
      'https://h/v2/b',
    ]);
  });

  it('of nothing is an archive all the same', async () => {
    expect(JSON.parse(await exportOf(await recorded([]))).log.entries).toEqual([]);
  });

  it('gives no secret away, though a file holds one', async () => {
    const folder = await recorded([
      exchange({ query: 'token=SECRET', body: { json: { password: 'SECRET' } } }),
    ]);
    expect(await exportOf(folder)).not.toContain('SECRET');
  });

  it('stops where a file is broken, before anything is written', async () => {
    const folder = await recorded(EXCHANGES);
    writeFileSync(join(folder, 'x', 'b', 'GET.json'), '{');
    const output = textOutput();
    const args = {
      folder,
      name: 'x',
      selection: {},
      base: NO_ORIGIN,
      redaction: redactionOf(),
      version: '1',
    };
    await expect(runExport(args, output)).rejects.toMatchObject({
      code: 'bad-recording',
    });
    expect(output.text).toBe('');
  });
});
