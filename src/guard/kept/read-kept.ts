import { statSync } from 'node:fs';
import type { Known, RecordName } from '../../model/record.ts';
import { parseUrl } from '../../model/url.ts';
import { recordsOf } from '../../state/state-file.ts';
import { readLines } from './journal-line.ts';
import { readBytes, StateAdapter } from './state-adapter.ts';

/** What a state file and the journal beside it say together. */
export interface Kept {
  /** By `recordKey`. Old: a former version has written it, without its path. */
  records: Map<string, { name: RecordName; known: Known; isOld: boolean }>;
  /** URL of the service that it was learnt from, where the file says so. */
  target: string | undefined;
  /** Bytes of the journal's whole lines. */
  journalSize: number;
}

export function recordKey({ base = '*', account, kind, id }: RecordName): string {
  return `${account} ${kind} ${id} ${base}`;
}

/** The journal of a state file. */
export function journalOf(file: string): string {
  return `${file}.journal`;
}

/**
 * Reads what a proxy knows, also while it runs.
 *
 * @param target URL of the service that it is read for; undefined: of any
 * @throws PatchgateError `cannot-read`, `bad-input` with file, line and column
 */
export function readKept(file: string, target?: string, adapter = new StateAdapter(file)): Kept {
  const journalFile = journalOf(file);
  // First the journal: whoever moves its lines into the file meanwhile takes nothing away from this reader.
  const journal = readBytes(journalFile);
  const state = adapter.readNow();
  const records: Kept['records'] = new Map();
  // A former version kept no paths: its records are below the path of the file's target, which may be another target.
  const ownPath = state?.paths ? '' : pathOf(state?.target);
  const isOther = target !== undefined && !`${pathOf(target)}/`.startsWith(`${ownPath}/`);
  const named = (name: RecordName) =>
    name.base === undefined && isOther ? { ...name, base: ownPath } : name;
  for (const { name, known } of state ? recordsOf(state) : []) {
    const own = { name: named(name), known, isOld: name.base === undefined };
    records.set(recordKey(own.name), own);
  }
  const { changes, size } = readLines(journal ?? Buffer.alloc(0), journalFile);
  for (const { name: told, known } of changes) {
    const name = named(told);
    if (known) records.set(recordKey(name), { name, known, isOld: told.base === undefined });
    else records.delete(recordKey(name));
  }
  return { records, target: state?.target, journalSize: size };
}

function pathOf(url = ''): string {
  return parseUrl(url)?.pathname.replace(/\/+$/, '') ?? '';
}

/** Changes whenever somebody writes one of the files; `undefined` where none of them is there. */
export function markOf(...files: string[]): string | undefined {
  const marks = files.map((file) => {
    try {
      const { ino, size, mtimeMs } = statSync(file);
      return `${ino}:${size}:${mtimeMs}`;
    } catch {
      // Not there, or not to be reached: reading it says which.
      return '';
    }
  });
  return marks.every((mark) => mark === '') ? undefined : marks.join(' ');
}
