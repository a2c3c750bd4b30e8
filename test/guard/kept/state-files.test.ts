import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  type Change,
  journalOf,
  lineOf,
  markOf,
  readKept,
  recordKey,
} from '../../../src/guard/kept/state-files.ts';
import { openKeptState } from '../../../src/guard/kept-state.ts';
import { refusal } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PROJECT = { base: '/api/v2', account: 'current', kind: 'project', id: '42' } as const;
/** What is learnt is in the journal before the answers of a turn go out. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const BODY = { name: 'Checkout', languages: [], environments: [] };

test('reads what a proxy knows that runs, file and journal, and leaves both as they are', async () => {
  const file = join(temporaryFolder(), 'state.json');
  const target = 'http://staging';
  writeFileSync(
    file,
    JSON.stringify({ target, accounts: { 196: { features: { 7: { incomplete: true } } } } }),
  );
  const kept = await openKeptState({ file, lag: 60_000, notice: () => undefined });
  onTestFinished(() => kept.close());
  kept.state.send(PROJECT, BODY).accepted();
  await turn();
  const mark = markOf(file, journalOf(file));
  const read = readKept(file);
  expect(read.target).toBe(target);
  const known = [...kept.state.entries()].map((entry) => [recordKey(entry.name), entry.known]);
  expect(known).toEqual([...read.records].map(([key, entry]) => [key, entry.known]));
  expect(read.records.get(recordKey(PROJECT))?.known).toEqual({ record: BODY, isWhole: true });
  expect(markOf(file, journalOf(file))).toBe(mark);
  kept.state.forget(PROJECT);
  await turn();
  expect(markOf(file, journalOf(file))).not.toBe(mark);
  expect(readKept(file).records.size).toBe(1);
});

test('where there is nothing, nothing is known, and nothing is made', () => {
  const file = join(temporaryFolder(), '.patchgate', 'state.json');
  expect(readKept(file)).toEqual({ records: new Map(), target: undefined, journalSize: 0 });
  expect(markOf(file, journalOf(file))).toBeUndefined();
  expect(existsSync(dirname(file))).toBe(false);
  mkdirSync(dirname(file));
  writeFileSync(journalOf(file), '');
  expect(markOf(file, journalOf(file))).toBeDefined();
});

const CHANGES: Change[] = [
  {
    name: { account: 'current', kind: 'project', id: '42' },
    known: { record: { name: 'Zoë\n' }, isWhole: true },
  },
  { name: { account: '196', kind: 'draft', id: '-7' }, known: { record: {}, isWhole: false } },
  { name: { account: 'current', kind: 'feature', id: '0' }, known: undefined },
];
const LINES = CHANGES.map(lineOf);

function readJournalOf(content: string | Buffer) {
  const file = join(temporaryFolder(), 'state.json');
  writeFileSync(journalOf(file), content);
  const { records, journalSize } = readKept(file);
  return { changes: [...records.values()].map(({ name, known }) => ({ name, known })), journalSize };
}

test('a journal says what was written to it, last and as far as its lines are whole', () => {
  const [first = '', second = ''] = LINES;
  const bytes = Buffer.from(first + second);
  for (let end = 0; end <= bytes.length; end++) {
    const { changes, journalSize } = readJournalOf(bytes.subarray(0, end));
    expect(changes).toEqual(CHANGES.slice(0, changes.length));
    expect(journalSize).toBe(Buffer.byteLength(LINES.slice(0, changes.length).join('')));
  }
  const forgotten = lineOf({ ...(CHANGES[0] as Change), known: undefined });
  expect(readJournalOf(LINES.join('') + forgotten).changes).toEqual([CHANGES[1]]);
});

test.each([
  '',
  '{',
  '[]',
  '{"account":"main","kind":"project","id":"42","record":null}',
  '{"account":"current","kind":"goal","id":"42","record":null}',
  '{"account":"current","kind":"project","id":"042","record":null}',
  '{"account":"current","kind":"project","id":42,"record":null}',
  '{"account":"current","kind":"project","id":"42","record":[]}',
  '{"account":"current","kind":"project","id":"42"}',
])('a line of a journal that is none is an error with its place: %s', (line) => {
  const said = refusal('bad-input', () => readJournalOf(`${LINES[0]}${line}\n${LINES[0]}`));
  expect(said).toMatch(/state\.json\.journal:2:1: .*\(.*delete it/);
});
