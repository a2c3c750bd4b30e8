import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { PlainExchange } from '../../../src/recordings/plain-exchange.ts';
import {
  readLegacyJournal,
  removeLegacyJournal,
  takeInLegacyJournal,
} from '../../../src/recordings/store/legacy-journal.ts';
import { refusal } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Recordings that the former version left when it was killed; each of their exchanges has a number, `?n=1`. */
function leftBehind(name: string): string {
  const root = join(temporaryFolder(), 'r');
  cpSync(fileURLToPath(new URL(`fixtures/legacy-journal-${name}`, import.meta.url)), root, {
    recursive: true,
  });
  return root;
}

const names = (root: string) => readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
const numberIn = (query: string) => Number(query.slice('n='.length));
const numbersOf = (exchanges: { exchange: PlainExchange }[]) =>
  exchanges.map(({ exchange }) => numberIn(exchange.request.query));

function inFiles(root: string): number[] {
  const files = names(root).filter((name) => name.endsWith('.json'));
  const exchanges = files.flatMap((file) => JSON.parse(readFileSync(join(root, file), 'utf8')).exchanges);
  return exchanges.map(({ request }) => numberIn(request.query)).sort();
}

const BOTH = [1, 2, 3, 4];
interface Found {
  files: number[];
  left: number[];
}
const KILLED: [name: string, read: Found, taken: Found][] = [
  ['torn', { files: [], left: [1, 2] }, { files: [], left: [1, 2] }],
  ['unmarked', { files: [], left: BOTH }, { files: [], left: BOTH }],
  ['marked', { files: BOTH, left: [5, 6, 7, 8] }, { files: [1, 2, 3, 4, 5, 7, 8], left: [6] }],
  ['begun-twice', { files: [1, 2, 3, 4, 5, 7, 8], left: [6] }, { files: [1, 2, 3, 4, 5, 6, 7, 8], left: [] }],
];

describe('what the former version left', () => {
  test.each(KILLED)('is read, and nothing is touched: %s', (name, read) => {
    const root = leftBehind(name);
    const before = names(root);
    expect({ files: inFiles(root), left: numbersOf(readLegacyJournal(root)) }).toEqual(read);
    expect(names(root)).toEqual(before);
  });

  test.each(KILLED)('is taken in, again after an interruption, and removed: %s', (name, _, taken) => {
    const root = leftBehind(name);
    for (let time = 0; time < 2; time++) {
      const left = numbersOf(takeInLegacyJournal(root));
      expect({ files: inFiles(root), left }).toEqual(taken);
    }
    expect(names(root).filter((file) => file.endsWith('.tmp'))).toEqual([]);
    removeLegacyJournal(root);
    expect(readdirSync(join(root, '.patchgate'))).toEqual([]);
    expect(numbersOf(readLegacyJournal(root))).toEqual([]);
  });

  test('is told exchange by exchange, with how each is to be kept', () => {
    const exchanges = readLegacyJournal(leftBehind('marked'));
    expect(exchanges.map(({ placement }) => placement.replaces !== undefined)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    const headers = ['content-type', 'application/json'];
    const request = { method: 'PATCH', path: '/b/c', query: 'n=6', headers, json: undefined };
    const body = Buffer.from('{\n\t"n": 6\n}');
    expect(exchanges[1]?.exchange).toEqual({
      request: { ...request, body },
      response: { status: 200, headers, body },
      startedAt: 1_790_000_000_006,
      durationMs: 12,
    });
    expect(exchanges[3]?.exchange).toMatchObject({
      response: { status: 0 },
      failure: 'reset',
      session: 's',
    });
  });

  test('is nothing in most recordings', () => {
    const root = temporaryFolder();
    expect(takeInLegacyJournal(root)).toEqual([]);
    removeLegacyJournal(root);
    expect(existsSync(join(root, '.patchgate'))).toBe(false);
  });

  test('stops the start where a line is broken, unless it is cut off at the end', () => {
    const root = leftBehind('marked');
    const files = readdirSync(join(root, '.patchgate', 'journal')).map((name) =>
      join(root, '.patchgate', 'journal', name),
    );
    appendFileSync(files[1] as string, '{"at":12,"ms":1,"repl');
    expect(numbersOf(readLegacyJournal(root))).toHaveLength(4);
    for (const line of ['{"at":12}\t\t', '[]', 'x', '{"journalVersion":1}']) {
      writeFileSync(files[1] as string, `{"journalVersion":1}\n${line}\n`);
      expect(refusal('bad-recording', () => readLegacyJournal(root))).toContain(
        `${files[1]}:2:1: this is no line`,
      );
    }
    rmSync(files[1] as string);
    cpSync(files[0] as string, join(root, '.patchgate', 'journal', `${'9'.repeat(16)}.journal`));
    appendFileSync(files[0] as string, 'cut off');
    expect(refusal('bad-recording', () => readLegacyJournal(root))).toContain('ends within a line');
  });
});
