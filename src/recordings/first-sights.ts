import { createHash, hash } from 'node:crypto';
import { HashSet } from './hash-set.ts';
import type { PlainRequest } from './plain-exchange.ts';
import { requestKey } from './request-key.ts';
import { settleRequest } from './settle.ts';

/** What most requests fit into, to be hashed in one go. */
const scratch = Buffer.allocUnsafeSlow(16_384);

/**
 * Which requests a run has seen, as matching tells them apart. Keeps some bytes for each, never the request itself; a
 * run of a million different ones takes later ones for seen, so that they drop nothing.
 */
export class FirstSights {
  /** Of requests as they came and, less often asked for, as matching sees them. */
  readonly #seen = new HashSet();

  /** @returns whether this request is seen for the first time */
  add(request: PlainRequest): boolean {
    const bytes = hashOf(request);
    if (this.#seen.has(bytes)) return false;
    this.#seen.add(bytes);
    const key = requestKey(settleRequest(request));
    return !this.#seen.has(key) && this.#seen.add(key);
  }
}

function hashOf({ method, path, query, headers, body }: PlainRequest): string {
  // The media type decides whether a body is read as JSON.
  const head = `${method} ${path}?${query}\n${headers.join('\n')}\n`;
  if (head.length * 3 + body.length > scratch.length) {
    return createHash('sha1').update(head).update(body).digest('binary');
  }
  let end = scratch.write(head);
  end += body.copy(scratch, end);
  return hash('sha1', scratch.subarray(0, end), 'binary');
}
