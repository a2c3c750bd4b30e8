import { redactText, redactUrl } from '../../recordings/redact/redact.ts';
import type { Redaction } from '../../recordings/redact/redaction.ts';

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
}

/** Misses that are kept, and sessions whose misses are counted. */
const MOST = 1000;
const MOST_SESSIONS = 100_000;

/** The requests that a replay refused. Those of a session stay when it ends. */
export class Misses {
  /** By session and text. */
  readonly #alike = new Map<string, MissedRequest>();
  readonly #ofSession = new Map<string, number>();
  #count = 0;

  constructor(readonly redaction: Redaction) {}

  /** @param error what it is refused with */
  add(
    { method, url, session: { name } }: { method: string; url: string; session: { name: string } },
    { message, hint = '' }: { message: string; hint?: string | undefined },
  ): void {
    this.#count++;
    const before = this.#ofSession.get(name) ?? 0;
    if (before > 0 || this.#ofSession.size < MOST_SESSIONS) this.#ofSession.set(name, before + 1);
    const text = redactText(message, this.redaction);
    const key = `${name}\n${text}`;
    const known = this.#alike.get(key);
    if (known) known.count++;
    else if (this.#alike.size < MOST) {
      const clean = { url: redactUrl(url, this.redaction), hint: redactText(hint, this.redaction) };
      this.#alike.set(key, { method, session: name, text, count: 1, ...clean });
    }
  }

  /** @param session of this one alone; `""` is the default one */
  list(session?: string): Missed {
    const all = [...this.#alike.values()].map((miss) => ({ ...miss }));
    if (session === undefined) return { count: this.#count, misses: all };
    const misses = all.filter((miss) => miss.session === session);
    return { count: this.#ofSession.get(session) ?? 0, misses };
  }

  /** Forgets them. @param session those of this one alone */
  reset(session?: string): void {
    const { count, misses } = this.list(session);
    this.#count -= count;
    if (session === undefined) this.#ofSession.clear();
    else this.#ofSession.delete(session);
    for (const { session: name, text } of misses) this.#alike.delete(`${name}\n${text}`);
  }
}
