import { PatchgateError } from '../../errors.ts';
import type { StoredExchange } from '../../recordings/exchange-index.ts';
import { recordIt } from '../../recordings/explain.ts';
import type { Session } from '../session.ts';

/** Whether an exchange can be an answer: its body was kept. */
export function isAnswer(stored: StoredExchange): boolean {
  return stored.answer !== undefined;
}

/** Why no exchange of a sequence is the answer. */
interface Refused {
  reason: 'omitted' | 'already-served';
  /** The one that would have been. */
  stored: StoredExchange;
  /** How often the request was recorded. */
  recorded: number;
}

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

  /** The first exchange, from where the session is, that can be an answer; past the last of them, that one again. */
  choose(
    session: Session,
    all: All,
    own: All,
  ): { reason?: undefined; stored: StoredExchange; place: number } | Refused {
    let place = this.#nextOf(session, all);
    while (place < own.length && !isAnswer(own[place] as StoredExchange)) place++;
    const isOver = place >= own.length;
    if (isOver) place = own.findLastIndex(isAnswer);
    const stored = own.at(place) as StoredExchange;
    if (place >= 0 && !(isOver && this.#isStrict)) return { stored, place };
    return { reason: own.some(isAnswer) ? 'already-served' : 'omitted', stored, recorded: own.length };
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

/** Says why a request is not answered that matches what was recorded. */
export function refusal(recording: string, { stored, reason, recorded }: Refused): PatchgateError {
  const { request, meta } = stored.exchange;
  const often = recorded === 1 ? 'once' : `${recorded} times`;
  const [text, hint] =
    reason === 'omitted'
      ? [
          "the response's body was not kept: it was too large, or in a content coding that cannot be undone here",
          `record it again with a smaller body, or without that coding: ${recordIt(recording)}`,
        ]
      : [
          `it was recorded ${often}, and all that can be answered has been served already (--strict-sequence)`,
          'send it as often as it was recorded, use a session of its own (Patchgate-Session), or start the sequence anew: POST /__patchgate/reset',
        ];
  const message = `the recording "${recording}" matches this ${request.method} ${request.path}, but ${text}`;
  const details = { recording, reason, recordedAt: meta.recordedAt };
  return new PatchgateError('no-recording', message, { hint, details });
}
