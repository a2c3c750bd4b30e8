import type { RequestHead } from '../../http/http.ts';
import { splitTarget } from '../../http/http.ts';
import { redactPath } from './redact-url.ts';
import type { FoundSecret, Redaction } from './redaction.ts';

/** Notices in one run: whoever reads a hundred of them has read enough. */
const MOST = 100;

/** Tells of values that look like secrets, once for each kind and place, without the values. */
export class SecretNotices {
  readonly #notice: (text: string) => void;
  readonly #told = new Set<string>();

  constructor(notice: (text: string) => void) {
    this.#notice = notice;
  }

  /** @param of whose exchange it was found in */
  tell({ what, place, isDetected }: FoundSecret, { method, url }: RequestHead, redaction: Redaction): void {
    if (!isDetected || this.#told.size > MOST) return;
    const path = redactPath(splitTarget(url).path, redaction);
    // One place in the records of a kind, whatever their ids.
    const kind = `${what} ${place.replace(/\/\d+(?=\/|$)/g, '/*')} ${method} ${path.replace(/\/\d+(?=\/|$)/g, '/*')}`;
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    if (this.#told.size > MOST) {
      this.#notice('further values that look like secrets are redacted without a word');
      return;
    }
    const name = /[^/]+$/.exec(place)?.[0] ?? place;
    const advice = /^(?:path|body|\d+)$/.test(name) ? '' : `; name the field with --redact ${name}`;
    this.#notice(`redacted ${what} in ${place} of ${method} ${path}${advice}`);
  }
}
