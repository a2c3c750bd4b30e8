import { header, type ResponseHead } from '../model/http.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { RecordName } from '../model/record.ts';
import { undoCodings } from '../recordings/content-coding.ts';
import { plainRecord, recordIn } from '../state/records.ts';

interface Shown {
  bytes: Buffer;
  coding: string | undefined;
  record: JsonObject | undefined;
}

/** Answers that are remembered, the ones read longest ago go first; and the bytes that each may have. */
const MOST = 500;
const MOST_BYTES = 16 * 1024;

/**
 * Reads the records that answers show. Nearly always an answer about a record is, to the byte, the last one to the same method,
 * and reading it again would cost as much as a small PATCH costs to judge.
 */
export class ShownRecords {
  readonly #last = new Map<string, Shown>();

  /** The whole record in an answer's body, with no more of it than there is to learn from; undefined: it shows none. */
  in(
    bytes: Buffer,
    { headers }: Pick<ResponseHead, 'headers'>,
    name: RecordName,
    method: string,
  ): JsonObject | undefined {
    const key = `${method} ${name.kind} ${name.id} ${name.account}`;
    const coding = header(headers, 'content-encoding');
    const last = this.#last.get(key);
    if (last && last.coding === coding && last.bytes.equals(bytes)) return last.record;
    const record = recordShown(bytes, coding, name);
    this.#last.delete(key);
    // A copy: a piece of what came from a socket keeps all of that.
    if (bytes.length <= MOST_BYTES) this.#last.set(key, { bytes: Buffer.from(bytes), coding, record });
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= MOST) break;
      this.#last.delete(oldest);
    }
    return record;
  }
}

function recordShown(
  bytes: Buffer,
  coding: string | undefined,
  { kind, id }: RecordName,
): JsonObject | undefined {
  const plain = undoCodings(bytes, coding, 'target');
  let answer: JsonValue;
  try {
    if (!plain?.length) return undefined;
    answer = JSON.parse(plain.toString('utf8')) as JsonValue;
  } catch {
    // What is no JSON shows no record.
    return undefined;
  }
  const record = recordIn(kind, answer, id);
  return record && plainRecord(kind, record);
}
