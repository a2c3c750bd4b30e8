import type { PatchgateError } from '../../errors.ts';
import { redactText, redactUrl } from '../../recordings/redact/redact.ts';
import type { Redaction } from '../../recordings/redact/redaction.ts';
import type { UpstreamRequest } from '../upstream.ts';

/** A request that nothing in the recording answers, with those of its session that miss for the same reason. Redacted. */
export interface MissedRequest {
  method: string;
  url: string;
  /** As the client names it; `""` is the default one. */
  session: string;
  /** Why nothing answers it: what the 501 said. */
  text: string;
  /** What to do about it. */
  hint: string;
  /** How many such requests there were. */
  count: number;
}

/** What a run missed. */
export interface Missed {
  /** Requests. */
  count: number;
  /** The first thousand that differ, oldest first. */
  misses: MissedRequest[];
  /** Some differ from what is recorded, and came in the default session behind an answer out of a sequence: requests in another
   *  order than they were recorded in miss so, too. */
  isOrdered?: true;
}

/** Misses that are kept, and sessions whose misses are counted. */
const MOST = 1000;
const MOST_SESSIONS = 100_000;

/** The requests that a replay refused. Those of a session stay when it ends. */
export class Misses {
  readonly #redaction: Redaction;
  /** By session and text. */
  readonly #alike = new Map<string, MissedRequest>();
  readonly #ofSession = new Map<string, number>();
  #count = 0;
  #isInOrder = false;
  #isOrdered = false;

  constructor(redaction: Redaction) {
    this.#redaction = redaction;
  }

  /** @param error what it is refused with */
  add(
    { method, url, session }: Pick<UpstreamRequest, 'method' | 'url'> & { session: { name: string } },
    { message, hint = '', details }: Pick<PatchgateError, 'message' | 'hint' | 'details'>,
  ): void {
    const { name } = session;
    if (this.#isInOrder && name === '' && details?.reason === 'differs') this.#isOrdered = true;
    this.#count++;
    const before = this.#ofSession.get(name) ?? 0;
    if (before > 0 || this.#ofSession.size < MOST_SESSIONS) this.#ofSession.set(name, before + 1);
    const text = redactText(message, this.#redaction);
    const key = `${name}\n${text}`;
    const known = this.#alike.get(key);
    if (known) known.count++;
    else if (this.#alike.size < MOST) {
      this.#alike.set(key, {
        method,
        url: redactUrl(url, this.#redaction),
        session: name,
        text,
        hint: redactText(hint, this.#redaction),
        count: 1,
      });
    }
  }

  /** An answer came out of a sequence. @param session name of the one that got it */
  noteOrder(session: string): void {
    if (session === '') this.#isInOrder = true;
  }

  /** @param session of this one alone; `""` is the default one */
  list(session?: string): Missed {
    const all = [...this.#alike.values()].map((miss) => ({ ...miss }));
    const order = this.#isOrdered && !session ? { isOrdered: true as const } : {};
    if (session === undefined) return { count: this.#count, misses: all, ...order };
    return {
      count: this.#ofSession.get(session) ?? 0,
      misses: all.filter((miss) => miss.session === session),
      ...order,
    };
  }

  /** Forgets them. @param session those of this one alone */
  reset(session?: string): void {
    const forgotten = this.list(session);
    if (!session) this.#isOrdered = this.#isInOrder = false;
    this.#count -= forgotten.count;
    if (session === undefined) this.#ofSession.clear();
    else this.#ofSession.delete(session);
    for (const { session: name, text } of forgotten.misses) this.#alike.delete(`${name}\n${text}`);
  }
}
