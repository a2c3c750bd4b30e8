import fs, { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Journal } from '../../../src/recordings/journal/journal.ts';
import { FIRST_LINE } from '../../../src/recordings/journal/journal-line.ts';
import { SegmentFile } from '../../../src/recordings/journal/segment-file.ts';
import { withPatched } from '../../support/steps.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const line = (text: string) => Buffer.from(`${text}\n`);

/** A disk that takes half of what is written in some work, and then no more. */
async function onFullDisk(work: () => void, isFull = (_fd: number) => true): Promise<void> {
  const { writeSync } = fs;
  const writeHalf = (fd: number, bytes: Buffer, offset: number, length: number, position: number) => {
    if (!isFull(fd)) return writeSync(fd, bytes, offset, length, position);
    writeSync(fd, bytes, offset, length >> 1, position);
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  };
  await withPatched({ writeSync: writeHalf }, async () => work());
}

describe('SegmentFile', () => {
  it('leaves nothing half written', async () => {
    const file = join(temporaryFolder(), 'new', 'segment');
    const segment = new SegmentFile(file, false);
    segment.write(line('one'), 0);
    await onFullDisk(() => expect(() => segment.write(line('a long line'), 4)).toThrow('ENOSPC'));
    expect(segment.isTorn).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('one\n');
    segment.write(line('b'), 4);
    segment.close();
    expect(readFileSync(file, 'utf8')).toBe('one\nb\n');
  });

  it('cuts off later what it cannot cut off at once', async () => {
    const file = join(temporaryFolder(), 'segment');
    const segment = new SegmentFile(file, false);
    const ftruncateSync = () => {
      throw new Error('EIO');
    };
    await withPatched({ ftruncateSync }, () =>
      onFullDisk(() => expect(() => segment.write(line('a long line'), 0)).toThrow('ENOSPC')),
    );
    expect(segment.isTorn).toBe(true);
    segment.write(line('b'), 0);
    segment.close();
    expect(readFileSync(file, 'utf8')).toBe('b\n');
  });

  it('never writes into a file that is there', () => {
    const file = join(temporaryFolder(), 'segment');
    new SegmentFile(file, true).close();
    expect(() => new SegmentFile(file, true)).toThrow('EEXIST');
  });
});

describe('a journal on a full disk', () => {
  const texts = (journal: Journal, start: number) =>
    Array.from(journal.lines(start, journal.end), ({ bytes }) => bytes.toString()).filter(
      (text) => `${text}\n` !== FIRST_LINE.toString(),
    );

  it('keeps lines in memory, and a torn one does not spoil the next', async () => {
    const folder = join(temporaryFolder(), 'j');
    const journal = new Journal(folder);
    const start = journal.append(line('one'));
    await onFullDisk(() => {
      journal.append(line('a long line'));
      journal.append(line('b'));
      expect(() => journal.appendNow(line('a mark'))).toThrow('ENOSPC');
    });
    expect([journal.unwrittenLines, texts(journal, start)]).toEqual([2, ['one', 'a long line', 'b']]);
    journal.retry();
    expect([journal.unwritten, journal.trouble]).toEqual([0, undefined]);
    expect(texts(journal, start)).toEqual(['one', 'a long line', 'b']);
    const files = (await readdir(folder)).sort().map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(files).toEqual([`${FIRST_LINE}one\n`, `${FIRST_LINE}a long line\nb\n`]);
    journal.close();
  });

  it('goes on in another file where that can be written', async () => {
    const folder = join(temporaryFolder(), 'j');
    const journal = new Journal(folder);
    const start = journal.append(line('one'));
    const [name] = await readdir(folder);
    const { ino } = fs.statSync(join(folder, name as string));
    await onFullDisk(
      () => {
        journal.append(line('two'));
        journal.appendNow(line('a mark'));
      },
      (fd) => fs.fstatSync(fd).ino === ino,
    );
    expect([journal.unwritten, journal.trouble]).toEqual([0, undefined]);
    expect(texts(journal, start)).toEqual(['one', 'two', 'a mark']);
    expect(await readdir(folder)).toHaveLength(2);
    journal.close();
  });
});
