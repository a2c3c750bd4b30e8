import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished, test } from 'vitest';
import { openKnownStore } from '../../src/guard/file-known-store.ts';
import {
  type Change,
  fileOfTarget,
  journalOf,
  lineOf,
  markOf,
  readKept,
  recordKey,
  StateAdapter,
  sortedState,
} from '../../src/guard/state-files.ts';
import type { RecordName } from '../../src/model/record.ts';
import type { State } from '../../src/state/state-file.ts';
import { refusal } from '../support/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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
  const kept = await openKnownStore({ file, lag: 60_000, notice: () => undefined });
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
  expect(readKept(file)).toEqual({
    records: new Map(),
    approvals: new Map(),
    target: undefined,
    journalSize: 0,
  });
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

function holding(content: string | undefined): string {
  const file = join(temporaryFolder(), 'state.json');
  if (content !== undefined) writeFileSync(file, content);
  return file;
}

const of = (target: string) => JSON.stringify({ target, accounts: {} }, null, 2);

it.each([
  ['is not there', undefined],
  ['does not say of what it is', '{"accounts": {}}'],
  ['is of this service', of('https://staging.example.com')],
  ['is of this service by another path', of('https://staging.example.com/api/v2/')],
  ['is broken', '{"target": "'],
])('is the default one where that %s', (_, content) => {
  const file = holding(content);
  expect(fileOfTarget(file, 'https://staging.example.com/api/v2')).toBe(file);
});

it.each([
  ['https://example.com', 'state-example.com.json'],
  ['http://127.0.0.1:4011/x', 'state-127.0.0.1-4011.json'],
  ['http://[::1]:4011', 'state--1-4011.json'],
])('is one beside it for another service: %s', (target, name) => {
  const file = holding(of('http://127.0.0.1:4010'));
  expect(fileOfTarget(file, target)).toBe(file.replace('state.json', name));
});

const name = (account: string, kind: RecordName['kind'], id: string) => ({
  name: { base: '', account, kind, id },
  known: { record: {}, isWhole: true },
});

test('the order in which something was learnt does not matter', () => {
  const records = [
    name('196', 'project', '9'),
    name('current', 'draft', '10000000000'),
    name('current', 'draft', '9999999999'),
    name('current', 'project', '10'),
    name('current', 'project', '9'),
    name('20', 'feature', '-1'),
  ];
  const below = {
    ...name('current', 'project', '1'),
    name: { base: '/x', account: 'current', kind: 'project', id: '1' } as const,
  };
  const both = JSON.stringify(sortedState([below, ...records], undefined));
  expect(JSON.stringify(sortedState([...records, below], undefined))).toBe(both);
  const text = JSON.stringify(sortedState(records, 'http://t'));
  expect(JSON.stringify(sortedState(records.toReversed(), 'http://t'))).toBe(text);
  expect(text).toBe(
    '{"target":"http://t","paths":{"/":{"20":{"features":{"-1":{}}},"196":{"projects":{"9":{}}},' +
      '"current":{"projects":{"9":{},"10":{}},"drafts":{"9999999999":{},"10000000000":{}}}}}}',
  );
});

const records = fc.dictionary(
  fc.nat().map(String),
  fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 3 })),
);
const accounts = fc.dictionary(
  fc.oneof(fc.constant('current'), fc.nat().map(String)),
  fc.record({ projects: records, features: records, drafts: records }, { requiredKeys: [] }),
);

test('writes what JSON.stringify gives with two spaces, and a line feed', { tags: 'slow' }, async () => {
  const file = join(temporaryFolder(), 'state.json');
  const adapter = new StateAdapter(file);
  await fc.assert(
    fc.asyncProperty(
      fc.record(
        { target: fc.string(), accounts, paths: fc.dictionary(fc.constantFrom('/', '/api/v2'), accounts) },
        { requiredKeys: ['paths'] },
      ),
      async ({ target, accounts, paths }) => {
        const state = {
          ...(target !== undefined && { target }),
          ...(accounts && { accounts }),
          paths,
        } as State;
        await adapter.write(state);
        expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(state, null, 2)}\n`);
      },
    ),
    { numRuns: 25 },
  );
  expect(readdirSync(dirname(file))).toEqual(['state.json']);
});
