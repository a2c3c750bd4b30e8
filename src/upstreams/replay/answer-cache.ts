import { hash } from 'node:crypto';
import type { RecordedAnswer } from './recorded-answer.ts';

/** An answer, and which exchange it is from. */
export interface CachedAnswer extends RecordedAnswer {
  /** Its position in its file. */
  index: number;
  recordedAt: string;
}

/** Bytes of a slab. */
const SLAB = 1024 * 1024;
/** Answers that are held as objects, too. */
const HOT = 256;
/** Before each answer stand its key, and behind that the following, each at its offset. */
const KEY = 20;
const LENGTH = KEY;
const STATUS = KEY + 4;
const HEADERS_LENGTH = KEY + 8;
const INDEX = KEY + 12;
const RECORDED_AT = KEY + 16;
const TOOK = KEY + 24;
const HEAD = KEY + 32;

/**
 * Answers by the very bytes of their requests, within a bound of memory; the oldest go first. They stand one behind the
 * other in slabs outside the heap: tens of thousands of objects would cost several times as much, and the garbage
 * collector's time.
 */
export class AnswerCache {
  readonly #most: number;
  readonly #slabs: Slab[] = [];
  /** Where an answer stands, counted through all slabs, by a part of its key: the whole stands with it. */
  readonly #places = new Map<number, number>();
  #current = 0;
  /** Those asked for last, ready to go out. */
  readonly #hot = new Map<string, CachedAnswer>();

  /** @param limit bytes */
  constructor(limit: number) {
    this.#most = Math.floor(limit / SLAB);
  }

  /** One UTF-16 code unit for each of its bytes. */
  static keyOf(method: string, url: string, body: Buffer): string {
    // No URL holds a line feed.
    return hash('sha1', `${method} ${url}\n${body.toString('latin1')}`, 'binary');
  }

  get(key: string): CachedAnswer | undefined {
    const hot = this.#hot.get(key);
    if (hot) return hot;
    const answer = this.#read(Buffer.from(key, 'latin1'));
    if (answer) this.#warm(key, answer);
    return answer;
  }

  #read(key: Buffer): CachedAnswer | undefined {
    const place = this.#places.get(nameOf(key, 0));
    if (place === undefined) return undefined;
    const { bytes } = this.#slabs[Math.floor(place / SLAB)] as Slab;
    const at = place % SLAB;
    if (bytes.compare(key, 0, KEY, at, at + KEY) !== 0) return undefined;
    const end = at + bytes.readUInt32LE(at + LENGTH);
    const headersEnd = at + HEAD + bytes.readUInt32LE(at + HEADERS_LENGTH);
    const headers = bytes.toString('latin1', at + HEAD, headersEnd);
    return {
      head: {
        status: bytes.readUInt32LE(at + STATUS),
        message: '',
        headers: headers === '' ? [] : headers.split('\n'),
        tookMs: bytes.readDoubleLE(at + TOOK),
      },
      // A copy: the slab may be used for others while this is on its way.
      body: Buffer.from(bytes.subarray(headersEnd, end)),
      index: bytes.readUInt32LE(at + INDEX),
      recordedAt: new Date(bytes.readDoubleLE(at + RECORDED_AT)).toISOString(),
    };
  }

  #warm(key: string, answer: CachedAnswer): void {
    if (this.#hot.size >= HOT) this.#hot.clear();
    this.#hot.set(key, answer);
  }

  add(name: string, { head, body, index, recordedAt }: CachedAnswer): void {
    const key = Buffer.from(name, 'latin1');
    this.#hot.delete(name);

    // No header holds a line feed.
    const headers = Buffer.from(head.headers.join('\n'), 'latin1');
    const length = HEAD + headers.length + body.length;
    const slab = length > SLAB / 8 || this.#most === 0 ? undefined : this.#slabFor(length);
    if (slab === undefined) return;
    const { bytes, used } = slab;
    key.copy(bytes, used);
    bytes.writeUInt32LE(length, used + LENGTH);
    bytes.writeUInt32LE(head.status, used + STATUS);
    bytes.writeUInt32LE(headers.length, used + HEADERS_LENGTH);
    bytes.writeUInt32LE(index, used + INDEX);
    bytes.writeDoubleLE(Date.parse(recordedAt), used + RECORDED_AT);
    bytes.writeDoubleLE(head.tookMs ?? 0, used + TOOK);
    headers.copy(bytes, used + HEAD);
    body.copy(bytes, used + HEAD + headers.length);
    this.#places.set(nameOf(key, 0), this.#current * SLAB + used);
    slab.used += length;
  }

  /** A slab with room for so many bytes: the current one, a new one, or the oldest, whose answers go. */
  #slabFor(length: number): Slab {
    const current = this.#slabs[this.#current];
    if (current && current.used + length <= SLAB) return current;
    if (current) this.#current = (this.#current + 1) % this.#most;
    const next = this.#slabs[this.#current];
    if (next) {
      for (let at = 0; at < next.used; at += next.bytes.readUInt32LE(at + LENGTH)) {
        const name = nameOf(next.bytes, at);
        if (this.#places.get(name) === this.#current * SLAB + at) this.#places.delete(name);
      }
      next.used = 0;
      return next;
    }
    const made = { bytes: Buffer.allocUnsafeSlow(SLAB), used: 0 };
    this.#slabs.push(made);
    return made;
  }
}

interface Slab {
  bytes: Buffer;
  used: number;
}

/** Some bits of a key. */
function nameOf(bytes: Buffer, at: number): number {
  return bytes.readUIntLE(at, 6);
}
