import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { StateJournal } from '../../../src/guard/kept/state-journal.ts';
import { refusal } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function newJournal(text = ''): { file: string; journal: StateJournal; holds: () => string } {
  const file = join(temporaryFolder(), 's.journal');
  if (text !== '') writeFileSync(file, text);
  const journal = new StateJournal(file, text.lastIndexOf('\n') + 1);
  return { file, journal, holds: () => readFileSync(file, 'utf8') };
}

test('has a line when append returns, behind those that were there', () => {
  const { journal, holds } = newJournal('a\n');
  journal.append(Buffer.from('b\n'));
  expect(holds()).toBe('a\nb\n');
  expect(journal.size).toBe(4);
});

test('overwrites what was cut off, also where it is longer than the next line', () => {
  const { journal, holds } = newJournal('a\ncut off in the middle');
  journal.append(Buffer.from('b\n'));
  expect(holds()).toBe('a\nb\n');
});

test('drops lines from the front, and goes on behind the rest', () => {
  const { file, journal, holds } = newJournal();
  for (const line of ['a\n', 'bb\n', 'ccc\n']) journal.append(Buffer.from(line));
  journal.drop(2);
  expect(holds()).toBe('bb\nccc\n');
  expect(journal.isGone).toBe(false);
  journal.append(Buffer.from('d\n'));
  expect(holds()).toBe('bb\nccc\nd\n');
  journal.drop(journal.size);
  expect(holds()).toBe('');
  journal.append(Buffer.from('e\n'));
  expect(holds()).toBe('e\n');
  expect(readdirSync(dirname(file))).toEqual(['s.journal']);
});

test('goes when it is closed empty, and stays where it has lines', () => {
  const empty = newJournal();
  empty.journal.close();
  expect(existsSync(empty.file)).toBe(false);
  const { journal, holds } = newJournal('a\n');
  journal.close();
  expect(holds()).toBe('a\n');
});

test('knows that it was removed or moved, and does not remove what took its place', () => {
  const removed = newJournal();
  rmSync(removed.file);
  expect(removed.journal.isGone).toBe(true);
  removed.journal.close();
  const moved = newJournal();
  renameSync(moved.file, `${moved.file}.old`);
  expect(moved.journal.isGone).toBe(true);
  appendFileSync(moved.file, 'of another\n');
  expect(moved.journal.isGone).toBe(true);
  moved.journal.close();
  expect(moved.holds()).toBe('of another\n');
});

test('that cannot be opened says why', () => {
  const folder = temporaryFolder();
  expect(refusal('cannot-write', () => new StateJournal(folder, 0))).toContain(`cannot write ${folder}: `);
});
