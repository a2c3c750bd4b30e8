import { type RequestHead, splitTarget } from '../../http/http.ts';
import { redactPath } from './redact.ts';
import type { FoundSecret, Redaction } from './redaction.ts';

/** Notices in one run: a hundred of them are enough to read. */
const MOST_NOTICES = 100;

/** Tells of values that look like secrets, once for each kind and place, without the values. */
export class SecretNotices {
  readonly #notice: (text: string) => void;
  readonly #told = new Set<string>();

  constructor(notice: (text: string) => void) {
    this.#notice = notice;
  }

  /** @param request the one that it was found in */
  tell({ what, place, isDetected }: FoundSecret, request: RequestHead, redaction: Redaction): void {
    if (!isDetected || this.#told.size > MOST_NOTICES) return;
    const path = redactPath(splitTarget(request.url).path, redaction);
    // One place in the records of a kind, whatever their ids.
    const kind = [what, place, request.method, path].join(' ').replace(/\/\d+(?=\/| |$)/g, '/*');
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    if (this.#told.size > MOST_NOTICES) {
      this.#notice('further values that look like secrets are redacted without a word');
      return;
    }
    const name = /[^/]+$/.exec(place)?.[0] ?? place;
    const advice = /^(?:path|body|\d+)$|\[redacted/.test(name)
      ? ''
      : `; name the field with --redact ${name}`;
    this.#notice(`redacted ${what} in ${place} of ${request.method} ${path}${advice}`);
  }
}
