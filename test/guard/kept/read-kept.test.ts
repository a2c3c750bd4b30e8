import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { journalOf, markOf, readKept, recordKey } from '../../../src/guard/kept/read-kept.ts';
import { openKeptState } from '../../../src/guard/kept-state.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PROJECT = { base: '/api/v2', account: 'current', kind: 'project', id: '42' } as const;
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
  const mark = markOf(file, journalOf(file));
  const read = readKept(file);
  expect(read.target).toBe(target);
  const known = [...kept.state.entries()].map((entry) => [recordKey(entry.name), entry.known]);
  expect(known).toEqual([...read.records].map(([key, entry]) => [key, entry.known]));
  expect(read.records.get(recordKey(PROJECT))?.known).toEqual({ record: BODY, isWhole: true });
  expect(markOf(file, journalOf(file))).toBe(mark);
  kept.state.forget(PROJECT);
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
