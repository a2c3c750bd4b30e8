import type { Adapter } from 'lowdb';
import { PatchgateError } from '../errors.ts';
import { parseUrl } from '../http/url.ts';
import { isObject, type JsonValue } from '../json/json.ts';
import type { KeptApproval } from '../model/approval.ts';
import { isRecordKind, type Known, RECORD_KINDS, type RecordName } from '../model/record.ts';
import { linesIn } from '../recordings/store/journal.ts';
import { readFileIfThere, readStart, stampOf, writeFileAtomically } from '../recordings/store/write-file.ts';
import { yieldToEventLoop } from '../recordings/yield-to-event-loop.ts';
import { problemOf } from '../schemas/check.ts';
import { isAccount, isRecordId, readState, recordsOf, type State, stateOf } from '../state/state-file.ts';

/** What a state file and the journal beside it say together. */
interface Kept {
  /** By `recordKey`. Old: a former version has written it, without its path. */
  records: Map<string, { name: RecordName; known: Known; isOld: boolean }>;
  /** By id. */
  approvals: Map<string, KeptApproval>;
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
  // First the journal: a process that moves its lines into the file meanwhile takes nothing away from this reader.
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
  const approvals = new Map(Object.entries(state?.approvals ?? {}));
  const { lines, size } = linesIn(journal);
  for (const [index, line] of lines.entries()) {
    const change = changeIn(line, `${journalFile}:${index + 1}:1`);
    if ('name' in change) apply(change);
    else approvals.set(change.id, change);
  }
  return { records, approvals, target: state?.target, journalSize: size };
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

/** A line of the journal with an approval as it is from now on: `{"approval":{"id":"k3f9x2ab",…}}`. */
export function approvalLineOf(approval: KeptApproval): string {
  return `${JSON.stringify({ approval })}\n`;
}

/** @throws PatchgateError `bad-input` with file and line */
function changeIn(line: Buffer, where: string): Change | KeptApproval {
  const value = objectIn(line);
  const { approval } = value;
  if (approval !== undefined && !problemOf('approval', approval)) return approval as unknown as KeptApproval;
  const { base, account, kind, id, record, incomplete } = value;
  const isNamed =
    (base === undefined || typeof base === 'string') &&
    typeof account === 'string' &&
    isAccount(account) &&
    typeof kind === 'string' &&
    isRecordKind(kind) &&
    typeof id === 'string' &&
    isRecordId(id);
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

/** Bytes of a file in which its target stands, where it has one: it is written first. */
const START = 4096;

/**
 * The default file, or where that is of another service, one beside it: what is known of one service is not known of another,
 * and several proxies may be started in one folder, one after the other or at once.
 *
 * @param file `.patchgate/state.json`
 * @returns that, or `.patchgate/state-staging.example.com-8443.json`
 */
export function fileOfTarget(file: string, target: string): string {
  const found = targetIn(file);
  if (found === undefined || parseUrl(found)?.origin === parseUrl(target)?.origin) return file;
  const host = parseUrl(target)?.host.replace(/[^\w.-]+/g, '-') ?? '';
  return file.replace(/(?=\.json$)/, `-${host}`);
}

/** Undefined where the file is not there, does not say, or is broken: that is told by who reads it. */
function targetIn(file: string): string | undefined {
  const start = readStart(file, START)?.toString() ?? '';
  const text = /^\s*\{\s*"target":\s*("(?:[^"\\]|\\.)*")/.exec(start)?.[1];
  try {
    return text === undefined ? undefined : (JSON.parse(text) as string);
  } catch {
    return undefined;
  }
}

/** What to do where a file cannot be read. */
const UNREADABLE = 'correct its permissions, or name another file with --state';
/** Paths, path, account, kind and id: what is below is one text. */
const DEPTH = 5;
/** Characters. A text of many parts is work for the garbage collector. */
const CHUNK = 64 * 1024;

/** lowdb's adapter to a state file: what is read is checked, and a write outlives a power failure. For one process at a time. */
export class StateAdapter implements Adapter<State> {
  readonly #file: string;
  /** Bytes of the file as last read or written. */
  size = 0;

  constructor(file: string) {
    this.#file = file;
  }

  async read(): Promise<State | null> {
    return this.readNow();
  }

  /** Null where there is no such file.
   *  @throws PatchgateError `cannot-read`, `bad-input` with line and column */
  readNow(): State | null {
    const bytes = readFileIfThere(this.#file, UNREADABLE);
    if (bytes === undefined) return null;
    this.size = bytes.length;
    return readState(decode(bytes, this.#file), this.#file);
  }

  /** @throws PatchgateError `cannot-write` */
  async write(state: State): Promise<void> {
    const chunks: Buffer[] = [];
    let text = '';
    for (const part of prettyParts(state as unknown as JsonValue, DEPTH)) {
      text += part;
      if (text.length < CHUNK) continue;
      chunks.push(Buffer.from(text));
      text = '';
      await yieldToEventLoop();
    }
    const bytes = Buffer.concat([...chunks, Buffer.from(`${text}\n`)]);
    await writeFileAtomically(this.#file, bytes, { sync: true });
    this.size = bytes.length;
  }
}

/** The state that holds these records, in an order that does not depend on when each was learnt. */
export function sortedState(
  records: { name: RecordName; known: Known }[],
  target: string | undefined,
): State {
  return stateOf(
    records.toSorted(
      ({ name: a }, { name: b }) =>
        compare(a.base ?? '', b.base ?? '') ||
        compare(a.account, b.account) ||
        RECORD_KINDS.indexOf(a.kind) - RECORD_KINDS.indexOf(b.kind) ||
        compare(a.id, b.id),
    ),
    target,
  );
}

/** Integers by their size, whatever that is. */
function compare(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** What `JSON.stringify(value, null, 2)` gives, in parts: objects down to a depth are divided. */
function* prettyParts(value: JsonValue, depth: number, indent = ''): Generator<string> {
  const isDivided = depth > 0 && isObject(value);
  const members = isDivided ? Object.entries(value).filter(([, member]) => member !== undefined) : [];
  // In a JSON string, a line feed is escaped.
  if (members.length === 0) return yield JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
  let before = '{';
  for (const [name, member] of members) {
    yield `${before}\n${indent}  ${JSON.stringify(name)}: `;
    yield* prettyParts(member, depth - 1, `${indent}  `);
    before = ',';
  }
  yield `\n${indent}}`;
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new PatchgateError('bad-input', `${file}: this is not UTF-8`, {
      hint: 'save it as UTF-8, or delete it to begin with nothing known',
      cause: error,
    });
  }
}
