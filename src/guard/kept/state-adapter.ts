import type { Adapter } from 'lowdb';
import { PatchgateError } from '../../errors.ts';
import { isObject, type JsonValue } from '../../json/json.ts';
import { type Known, RECORD_KINDS, type RecordName } from '../../model/record.ts';
import { readFileIfThere, writeFileAtomically } from '../../recordings/store/write-file.ts';
import { yieldToEventLoop } from '../../recordings/store/yield-to-event-loop.ts';
import { readState, type State, stateOf } from '../../state/state-file.ts';

/** What to do where a file cannot be read. */
export const UNREADABLE = 'correct its permissions, or name another file with --state';
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
  const members = depth > 0 && isObject(value) ? Object.entries(value) : [];
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
