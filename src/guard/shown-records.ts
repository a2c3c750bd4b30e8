import { header, type ResponseHead } from '../model/http.ts';
import type { JsonValue } from '../model/json.ts';
import type { RecordName } from '../model/record.ts';
import { undoCodings } from '../recordings/content-coding.ts';
import { type Shown, shownIn } from '../state/records.ts';

interface Read {
  bytes: Buffer;
  coding: string | undefined;
  shown: Shown | undefined;
}

/** Answers that are remembered, the ones read longest ago go first; and the bytes that each may have. */
const MOST = 500;
const MOST_BYTES = 16 * 1024;

/**
 * Reads what answers show of records. Nearly always an answer about a record is, to the byte, the last one to the same method,
 * and reading it again would cost as much as a small PATCH costs to judge.
 */
export class ShownRecords {
  readonly #last = new Map<string, Read>();

  /** Undefined where nobody can read the body. */
  in(
    bytes: Buffer,
    { headers }: Pick<ResponseHead, 'headers'>,
    name: RecordName,
    method: string,
  ): Shown | undefined {
    if (bytes.length === 0) return NOTHING;
    const key = `${method} ${name.kind} ${name.id} ${name.account} ${name.base}`;
    const coding = header(headers, 'content-encoding');
    const last = this.#last.get(key);
    if (last && last.coding === coding && last.bytes.equals(bytes)) return last.shown;
    const answer = answerIn(bytes, coding);
    const shown =
      answer === undefined ? undefined : answer === TEXT ? NOTHING : shownIn(name.kind, answer, name.id);
    this.#last.delete(key);
    // A copy: a piece of what came from a socket keeps all of that.
    if (bytes.length <= MOST_BYTES) this.#last.set(key, { bytes: Buffer.from(bytes), coding, shown });
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= MOST) break;
      this.#last.delete(oldest);
    }
    return shown;
  }
}

const NOTHING: Shown = { isPart: true, ids: new Set() };
/** An answer that is no JSON. */
export const TEXT = Symbol('text');

/** The value of an answer; undefined where its content coding cannot be undone. */
export function answerIn(bytes: Buffer, coding: string | undefined): JsonValue | typeof TEXT | undefined {
  const plain = undoCodings(bytes, coding, 'target');
  if (plain === undefined) return undefined;
  try {
    return JSON.parse(plain.toString('utf8')) as JsonValue;
  } catch {
    return TEXT;
  }
}
