import type { IncomingMessage } from 'node:http';
import type { BytesRead } from '../upstreams/read-bytes.ts';

/** Does heavy work piece by piece, one a turn of the event loop: whatever else has come gets its turn in between. */
export class OneATurn {
  readonly #waiting: (() => void)[] = [];

  add(work: () => void): void {
    if (this.#waiting.push(work) === 1) setImmediate(this.#next);
  }

  readonly #next = (): void => {
    const work = this.#waiting[0];
    try {
      work?.();
    } finally {
      this.#waiting.shift();
      if (this.#waiting.length > 0) setImmediate(this.#next);
    }
  };
}

/** Bytes of a body that takes about a millisecond to judge. */
const HEAVY = 65_536;

/** Whether a body is to wait for its turn. A coded one can be of any size. */
export function isHeavy(bytes: BytesRead, { headers }: IncomingMessage): boolean {
  return bytes instanceof Buffer && (bytes.length > HEAVY || headers['content-encoding'] !== undefined);
}
