import { existsSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../errors.ts';
import { entriesOf } from './folder-tree.ts';
import { HIDDEN } from './hidden-folder.ts';
import { linesIn } from './journal.ts';
import { brokenJournal, type JournalExchange, readLine } from './journal-line.ts';
import { locationOf } from './location.ts';
import { cannotWrite, readFileIfThere, removeTemporaries } from './write-file.ts';

/** The file of a method and path has its exchanges up to a position, or has them once `temporary` has taken its place. */
interface Mark {
  method: string;
  path: string;
  upTo: number;
  temporary?: string;
}

/**
 * The exchanges in the journal of the former version that their files do not have yet, in order. Nothing is touched. Such a journal
 * is a folder of files, each named after the position of its first line; a position counts the bytes of all files.
 *
 * @param root the recording's folder
 * @throws PatchgateError `cannot-read`, `bad-recording` with file and line
 */
export function readLegacyJournal(root: string): JournalExchange[] {
  return unwritten(root, (temporary) => !existsSync(temporary));
}

/**
 * The same for a writer: what was begun is finished. Until `removeLegacyJournal`, the next start finds the same exchanges again.
 *
 * @throws PatchgateError `cannot-read`, `cannot-write`, `bad-recording` with file and line
 */
export function takeInLegacyJournal(root: string): JournalExchange[] {
  const exchanges = unwritten(root, putInPlace);
  const files = new Set(exchanges.map(({ exchange: { request } }) => fileOf(root, request)));
  for (const file of files) {
    if (!existsSync(dirname(file))) continue;
    removeTemporaries(dirname(file), `${basename(file)}.`);
    // Of bodies beside it.
    removeTemporaries(dirname(file), `${basename(file, '.json')}~`);
  }
  return exchanges;
}

/** @param root the recording's folder */
export function hasLegacyJournal(root: string): boolean {
  return existsSync(folderOf(root));
}

/** With the indexes that the former version made of large files. @throws PatchgateError `cannot-write` */
export function removeLegacyJournal(root: string): void {
  const folder = folderOf(root);
  try {
    // The oldest first: a later file says what of it is in its files.
    for (const file of filesIn(folder)) rmSync(file, { force: true });
    if (existsSync(folder)) rmdirSync(folder);
    rmSync(join(root, HIDDEN, 'index'), { recursive: true, force: true });
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}

/** @param isInPlace whether the temporary file of a mark has taken its place */
function unwritten(root: string, isInPlace: (temporary: string, file: string) => boolean): JournalExchange[] {
  const found: { key: string; end: number; line: JournalExchange }[] = [];
  const marks = new Map<string, { last: Mark; before: number }>();
  const files = filesIn(folderOf(root));
  for (const file of files) {
    const bytes = readFileIfThere(file) ?? Buffer.alloc(0);
    const { lines, size } = linesIn(bytes);
    if (size < bytes.length && file !== files.at(-1))
      throw brokenJournal(file, 'the file ends within a line');
    let end = Number(basename(file, '.journal'));
    for (const [index, text] of lines.entries()) {
      end += text.length + 1;
      const line = lineIn(text);
      if (line === undefined || (line === 'first') !== (index === 0))
        throw brokenJournal(`${file}:${index + 1}:1`);
      if (line === 'first') continue;
      const key = fileOf(root, 'upTo' in line ? line : line.exchange.request);
      if ('upTo' in line) marks.set(key, { last: line, before: marks.get(key)?.last.upTo ?? 0 });
      else found.push({ key, end, line });
    }
  }
  const inFile = new Map<string, number>();
  for (const [file, { last, before }] of marks) {
    const { temporary, upTo } = last;
    const has = temporary === undefined || isInPlace(join(dirname(file), basename(temporary)), file);
    inFile.set(file, has ? upTo : before);
  }
  return found.filter(({ key, end }) => end > (inFile.get(key) ?? 0)).map(({ line }) => line);
}

/** Where the temporary file is gone, it has taken its place already. */
function putInPlace(temporary: string, file: string): boolean {
  try {
    renameSync(temporary, file);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw cannotWrite(file, error);
  }
  return true;
}

function folderOf(root: string): string {
  return join(root, HIDDEN, 'journal');
}

/** In the order of their names, which is that of their lines. */
function filesIn(folder: string): string[] {
  const names = entriesOf(folder).map(({ name }) => name);
  const own = names.filter((name) => /^\d{16}\.journal$/.test(name)).sort();
  return own.map((name) => join(folder, name));
}

function fileOf(root: string, { method, path }: { method: string; path: string }): string {
  return join(root, locationOf(method, path));
}

/** Undefined where it is no line of such a journal. */
function lineIn(bytes: Buffer): JournalExchange | Mark | 'first' | undefined {
  const line = readLine(bytes);
  if (line) return line;
  try {
    const head = JSON.parse(bytes.toString('utf8'));
    return head.journalVersion === 1 ? 'first' : head.folded;
  } catch {
    return undefined;
  }
}
