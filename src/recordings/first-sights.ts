import { hash } from 'node:crypto';
import type { RecordedRequest } from '../model/exchange.ts';
import { requestKey } from './request-key.ts';

/** Requests whose very bytes are remembered: it saves most repeated ones the costlier look. */
const MOST_BYTES = 10_000;

/** Which requests a run has seen, as matching tells them apart. Keeps a hash for each, never the request itself. */
export class FirstSights {
  readonly #seen = new Set<string>();
  readonly #bytes = new Set<string>();

  /** @returns whether this request is seen for the first time */
  add(request: RecordedRequest, body: Buffer): boolean {
    const bytes = hash('sha1', `${request.method} ${request.path}?${request.query} ${hash('sha1', body)}`);
    if (this.#bytes.has(bytes)) return false;
    if (this.#bytes.size >= MOST_BYTES) this.#bytes.clear();
    this.#bytes.add(bytes);
    const key = requestKey(request);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}
