import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Journal, type JournalOptions } from '../../../src/recordings/store/journal.ts';
import { refusal } from '../../support/errors.ts';
import { withPatched } from '../../support/steps.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function newJournal(
  text = '',
  options?: JournalOptions,
): { file: string; journal: Journal; holds: () => string } {
  const file = join(temporaryFolder(), 's.journal');
  if (text !== '') writeFileSync(file, text);
  const journal = new Journal(file, { size: text.lastIndexOf('\n') + 1, ...options });
  return { file, journal, holds: () => readFileSync(file, 'utf8') };
}

test('is made with its folder by the first append', () => {
  const file = join(temporaryFolder(), 'r', '.patchgate', 's.journal');
  const journal = new Journal(file);
  expect(existsSync(dirname(file))).toBe(false);
  journal.append(Buffer.from('a\n'));
  expect([journal.isGone, readFileSync(file, 'utf8')]).toEqual([false, 'a\n']);
});

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

test.each([false, true])(
  'drops lines from the front, and goes on behind the rest: durable %s',
  (isDurable) => {
    const { file, journal, holds } = newJournal('', { isDurable });
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
  },
);

test('drops what an earlier run left before anything is appended', () => {
  const { journal, holds } = newJournal('a\nbb\ncut off');
  journal.drop(2);
  expect(holds()).toBe('bb\n');
  journal.drop(3);
  journal.append(Buffer.from('c\n'));
  expect(holds()).toBe('c\n');
});

test('goes when it is closed empty, and stays where it has lines', () => {
  const emptied = newJournal('a\n');
  emptied.journal.drop(2);
  emptied.journal.close();
  expect(existsSync(emptied.file)).toBe(false);
  const { journal, holds } = newJournal('a\n');
  journal.append(Buffer.from('b\n'));
  journal.close();
  expect(holds()).toBe('a\nb\n');
});

test('knows that it was removed or moved, and does not remove what took its place', () => {
  const unmade = newJournal();
  expect(unmade.journal.isGone).toBe(false);
  writeFileSync(unmade.file, 'of another\n');
  expect(unmade.journal.isGone).toBe(true);
  expect(refusal('cannot-write', () => unmade.journal.append(Buffer.from('a\n')))).toContain('EEXIST');
  rmSync(dirname(unmade.file), { recursive: true });
  expect(unmade.journal.isGone).toBe(true);
  const others = newJournal('of another\n', { size: undefined });
  expect(others.journal.isGone).toBe(true);
  others.journal.close();
  expect(others.holds()).toBe('of another\n');
  const left = newJournal('a\n');
  rmSync(left.file);
  expect(left.journal.isGone).toBe(true);
  const removed = newJournal();
  removed.journal.append(Buffer.from('a\n'));
  rmSync(dirname(removed.file), { recursive: true });
  expect(removed.journal.isGone).toBe(true);
  removed.journal.close();
  const moved = newJournal();
  moved.journal.append(Buffer.from('a\n'));
  moved.journal.drop(2);
  renameSync(moved.file, `${moved.file}.old`);
  expect(moved.journal.isGone).toBe(true);
  appendFileSync(moved.file, 'of another\n');
  expect(moved.journal.isGone).toBe(true);
  moved.journal.close();
  expect(moved.holds()).toBe('of another\n');
});

test('that cannot be opened says why, and takes the lines once it can', () => {
  const file = join(temporaryFolder(), 'r', 's.journal');
  const journal = new Journal(file);
  writeFileSync(dirname(file), 'an obstacle');
  expect(refusal('cannot-write', () => journal.append(Buffer.from('a\n')))).toContain(
    `cannot write ${file}: `,
  );
  rmSync(dirname(file));
  journal.append(Buffer.from('b\n'));
  expect(readFileSync(file, 'utf8')).toBe('b\n');
  expect(refusal('cannot-write', () => new Journal(dirname(file), { size: 0 }))).toContain('EISDIR');
});

test('after a write that failed has its former length', async () => {
  const { journal, holds } = newJournal();
  journal.append(Buffer.from('a\n'));
  await withPatched({ writeSync: failingInTheMidst() }, async () => {
    expect(refusal('cannot-write', () => journal.append(Buffer.from('bbb\nccc\n')))).toContain('ENOSPC');
  });
  expect(holds()).toBe('a\n');
  journal.append(Buffer.from('d\n'));
  expect([holds(), journal.size]).toEqual(['a\nd\n', 4]);
});

/** The first call writes half of it, the next one finds the disk full. */
function failingInTheMidst(): typeof fs.writeSync {
  const { writeSync } = fs;
  let calls = 0;
  return ((fd: number, bytes: Buffer, offset: number, length: number, position: number) => {
    if (++calls > 1) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    return writeSync(fd, bytes, offset, length >> 1, position);
  }) as typeof fs.writeSync;
}

describe('a log', () => {
  const newLog = (text?: string) => {
    const file = join(temporaryFolder(), 'logs', 'audit.jsonl');
    mkdirSync(dirname(file));
    if (text !== undefined) writeFileSync(file, text);
    const log = new Journal(file, { isShared: true });
    return { file, append: (line: string) => log.append(Buffer.from(`${line}\n`)), log };
  };
  const long = 'x'.repeat(200_000);

  test.each([
    ['is made at once', undefined, ''],
    ['keeps what was there', 'a\n', 'a\n'],
    ['cuts off what is half a line', 'a\nhalf', 'a\n'],
    ['cuts off half a line that is all', 'half', ''],
    ['cuts off half a line that is long', `a\n${long}`, 'a\n'],
    ['keeps a long line', `${long}\nhalf`, `${long}\n`],
  ])('%s', (_what, there, kept) => {
    const { file, append } = newLog(there);
    expect(readFileSync(file, 'utf8')).toBe(kept);
    append('b');
    expect(readFileSync(file, 'utf8')).toBe(`${kept}b\n`);
  });

  test.each<[string, (file: string) => void, Record<string, string>]>([
    ['was moved away', (file) => renameSync(file, `${file}.1`), { '': 'b\n', '.1': 'a\n' }],
    ['was removed', (file) => rmSync(file), { '': 'b\n' }],
    ['was cut', (file) => writeFileSync(file, ''), { '': 'b\n' }],
    ['was appended to', (file) => appendFileSync(file, 'other\n'), { '': 'a\nother\nb\n' }],
    ['lost its folder', (file) => rmSync(dirname(file), { recursive: true }), { '': 'b\n' }],
  ])('goes on where the file %s', (_what, happens, held) => {
    const { file, append } = newLog();
    append('a');
    happens(file);
    append('b');
    for (const [end, text] of Object.entries(held)) expect(readFileSync(`${file}${end}`, 'utf8')).toBe(text);
  });

  test('of two writers has the lines of both', () => {
    const { file, append } = newLog();
    const other = new Journal(file, { isShared: true });
    append('a');
    other.append(Buffer.from('b\n'));
    append('c');
    expect(readFileSync(file, 'utf8')).toBe('a\nb\nc\n');
  });

  test('is reopened, and stays where it is empty', () => {
    const { file, log } = newLog();
    renameSync(file, `${file}.1`);
    log.reopen();
    log.close();
    expect([file, `${file}.1`].map((one) => readFileSync(one, 'utf8'))).toEqual(['', '']);
  });

  test('that cannot be reopened is, once it can', () => {
    const { file, append, log } = newLog();
    renameSync(file, `${file}.1`);
    mkdirSync(file);
    expect(refusal('cannot-write', () => log.reopen())).toContain(`cannot write ${file}`);
    expect(refusal('cannot-write', () => append('a'))).toContain(`cannot write ${file}`);
    rmdirSync(file);
    append('b');
    expect(readFileSync(file, 'utf8')).toBe('b\n');
  });
});
