import { LRUCache } from 'lru-cache';
import type { JsonValue } from '../json/json.ts';
import type { RecordName } from '../model/record.ts';
import { type Shown, shownIn } from '../state/records.ts';

interface Read {
  bytes: Buffer;
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
  readonly #last = new LRUCache<string, Read>({ max: MOST });

  /** @param bytes of the answer's body, without its content codings @returns undefined where it cannot be read */
  in(bytes: Buffer, name: RecordName, method: string): Shown | undefined {
    if (bytes.length === 0) return NOTHING;
    const key = `${method} ${name.kind} ${name.id} ${name.account} ${name.base}`;
    const last = this.#last.get(key);
    if (last?.bytes.equals(bytes)) return last.shown;
    const shown = shownBy(bytes, name);
    // A copy: a piece of what came from a socket keeps all of that.
    if (bytes.length <= MOST_BYTES) this.#last.set(key, { bytes: Buffer.from(bytes), shown });
    else this.#last.delete(key);
    return shown;
  }
}

const NOTHING: Shown = { isPart: true, ids: new Set() };

const kept = new WeakMap<Buffer, { name: RecordName; shown: Shown | undefined }>();

/** What an answer shows that comes again as the very same object: a recording's. Read once. */
export function shownInKept(bytes: Buffer, name: RecordName): Shown | undefined {
  if (bytes.length === 0) return NOTHING;
  const known = kept.get(bytes);
  if (known?.name.id === name.id && known.name.kind === name.kind) return known.shown;
  const shown = shownBy(bytes, name);
  kept.set(bytes, { name, shown });
  return shown;
}

function shownBy(bytes: Buffer, { kind, id }: RecordName): Shown | undefined {
  const answer = answerIn(bytes);
  return answer === undefined ? undefined : answer === TEXT ? NOTHING : shownIn(kind, answer, id);
}

/** An answer that is no JSON. */
export const TEXT = Symbol('text');

/**
 * The value of an answer; undefined where it cannot be read: a page of a proxy before the service, or JSON that is cut off or has
 * something before it.
 */
export function answerIn(bytes: Buffer): JsonValue | typeof TEXT | undefined {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return /^\s*[<{[)]/.test(text) ? undefined : TEXT;
  }
}
