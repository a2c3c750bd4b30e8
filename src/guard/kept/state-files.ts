import { PatchgateError } from '../../errors.ts';
import { parseUrl } from '../../http/url.ts';
import { isObject, type JsonValue } from '../../json/json.ts';
import { isRecordKind, type Known, type RecordName } from '../../model/record.ts';
import { linesIn } from '../../recordings/store/journal.ts';
import { readFileIfThere, stampOf } from '../../recordings/store/write-file.ts';
import { isAccount, isId, recordsOf } from '../../state/state-file.ts';
import { StateAdapter, UNREADABLE } from './state-adapter.ts';

/** What a state file and the journal beside it say together. */
export interface Kept {
  /** By `recordKey`. Old: a former version has written it, without its path. */
  records: Map<string, { name: RecordName; known: Known; isOld: boolean }>;
  /** URL of the service that it was learnt from, where the file says so. */
  target: string | undefined;
  /** Bytes of the journal's whole lines. */
  journalSize: number;
}

/** What is known of a record from now on; undefined: nothing any more. */
export interface Change {
  name: RecordName;
  known: Known | undefined;
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
  const journal = readFileIfThere(journalFile, UNREADABLE) ?? Buffer.alloc(0);
  const state = adapter.readNow();
  const records: Kept['records'] = new Map();
  // A former version kept no paths: its records are below the path of the file's target, which may be another target.
  const ownPath = state?.paths ? '' : pathOf(state?.target);
  const isOther = target !== undefined && !`${pathOf(target)}/`.startsWith(`${ownPath}/`);
  const named = (name: RecordName) =>
    name.base === undefined && isOther ? { ...name, base: ownPath } : name;
  const apply = ({ name: told, known }: Change) => {
    const name = named(told);
    if (known) records.set(recordKey(name), { name, known, isOld: told.base === undefined });
    else records.delete(recordKey(name));
  };
  for (const record of state ? recordsOf(state) : []) apply(record);
  const { lines, size } = linesIn(journal);
  for (const [index, line] of lines.entries()) apply(changeIn(line, `${journalFile}:${index + 1}:1`));
  return { records, target: state?.target, journalSize: size };
}

function pathOf(url = ''): string {
  return parseUrl(url)?.pathname.replace(/\/+$/, '') ?? '';
}

/** Changes whenever somebody writes one of the files; `undefined` where none of them is there. */
export function markOf(...files: string[]): string | undefined {
  const stamps = files.map(stampOf);
  return stamps.every((stamp) => stamp === undefined) ? undefined : stamps.join(', ');
}

/**
 * A line of the journal: `{"base":"/api/v2","account":"current","kind":"project","id":"42","record":{…}}`; `"record":null` where
 * nothing is known any more. Without a base it is of any path.
 */
export function lineOf({ name: { base, account, kind, id }, known }: Change): string {
  const isPart = known?.isWhole === false;
  return `${JSON.stringify({ base, account, kind, id, record: known?.record ?? null, ...(isPart && { incomplete: true }) })}\n`;
}

/** @throws PatchgateError `bad-input` with file and line */
function changeIn(line: Buffer, where: string): Change {
  const { base, account, kind, id, record, incomplete } = objectIn(line);
  const isNamed =
    (base === undefined || typeof base === 'string') &&
    typeof account === 'string' &&
    isAccount(account) &&
    typeof kind === 'string' &&
    isRecordKind(kind) &&
    typeof id === 'string' &&
    isId(id);
  if (!isNamed || (record !== null && !isObject(record))) {
    throw new PatchgateError('bad-input', `${where}: this is no line of a journal`, {
      hint: 'what was learnt last and is not in the state file yet stands there: correct it, or delete it to go without it',
    });
  }
  const name = { ...(base !== undefined && { base }), account, kind, id };
  return { name, known: record === null ? undefined : { record, isWhole: incomplete !== true } };
}

function objectIn(line: Buffer): Record<string, JsonValue | undefined> {
  try {
    const value = JSON.parse(line.toString()) as JsonValue;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
