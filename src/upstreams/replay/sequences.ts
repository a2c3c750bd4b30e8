import { PatchgateError } from '../../errors.ts';
import type { StoredExchange } from '../../recordings/stored-exchange.ts';
import type { Session } from '../session.ts';

type All = readonly StoredExchange[];

/** Gives out what matches a request, oldest first, to each session by itself. `own` is what the session is given of all. */
export class Sequences {
  /** The place that comes next. A sequence goes by the first of all that matches, which is the same for every request of it:
   *  what is recorded on the way may leave the session others of them. */
  readonly #next = new WeakMap<Session, Map<StoredExchange | undefined, number>>();
  readonly #isStrict: boolean;

  /** @param isStrict the last one does not repeat */
  constructor(isStrict: boolean) {
    this.#isStrict = isStrict;
  }

  /** The exchange at the session's place; past the last one, that one again. Undefined: all were served, and none repeats. */
  choose(session: Session, all: All, own: All): { stored: StoredExchange; place: number } | undefined {
    const next = this.#nextOf(session, all);
    if (next >= own.length && this.#isStrict) return undefined;
    const place = Math.min(next, own.length - 1);
    return { stored: own[place] as StoredExchange, place };
  }

  /** What was chosen is served. */
  advance(session: Session, all: All, own: All, place: number): void {
    // One alone has no places.
    if (own.length > 1 || this.#isStrict) this.#move(session, all, place + 1);
  }

  /** Another upstream answers a request for which all was served. Where that is recorded, behind the others, this session
   *  has had it, too. */
  pass(session: Session, all: All): void {
    this.#move(session, all, this.#nextOf(session, all) + 1);
  }

  #nextOf(session: Session, [first]: All): number {
    return this.#next.get(session)?.get(first) ?? 0;
  }

  #move(session: Session, [first]: All, next: number): void {
    const places = this.#next.get(session) ?? new Map();
    this.#next.set(session, places.set(first, next));
  }
}

/** Why a request is not answered that matches these. */
export function alreadyServed(recording: string, recorded: All): PatchgateError {
  const { request, meta } = (recorded.at(-1) as StoredExchange).exchange;
  const often = recorded.length === 1 ? 'once' : `${recorded.length} times`;
  const message = `the recording "${recording}" matches this ${request.method} ${request.path}, but it was recorded ${often}, and all that can be answered has been served already (--strict-sequence)`;
  const hint =
    'send it as often as it was recorded, use a session of its own (Patchgate-Session), or start the sequence anew: POST /__patchgate/reset';
  const details = { recording, reason: 'already-served', recordedAt: meta.recordedAt };
  return new PatchgateError('no-recording', message, { hint, details });
}
