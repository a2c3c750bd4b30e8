import { hash } from 'node:crypto';
import { HashSet } from './hash-set.ts';
import { requestKey } from './matching/request-key.ts';
import type { PlainRequest } from './plain-exchange.ts';
import { settleRequest } from './settle.ts';

/**
 * Which requests a run has seen, as matching tells them apart. Keeps some bytes for each, never the request itself; a
 * run of a million different ones takes later ones for seen, so that they drop nothing.
 */
export class FirstSights {
  /** Of requests as they came and, asked for less often, as matching sees them. */
  readonly #seen = new HashSet();

  /** @returns whether this request is seen for the first time */
  add(request: PlainRequest): boolean {
    const { method, path, query, headers, body } = request;
    // The media type decides whether a body is read as JSON.
    const bytes = hash('sha1', body, 'binary');
    if (this.#seen.has(bytes, method, path, query, ...headers)) return false;
    this.#seen.add(bytes, method, path, query, ...headers);
    const key = requestKey(settleRequest(request));
    return !this.#seen.has(key) && this.#seen.add(key);
  }
}
