import { PatchgateError } from '../../errors.ts';
import { recordIt } from '../../recordings/explain.ts';
import type { StoredExchange } from '../../recordings/stored-exchange.ts';
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
  /** How often the request was recorded, and how many of these can be answers. */
  recorded: number;
  answers: number;
}

/** What matches a request, oldest first: all, and those that its session is given of them. Never none. */
export interface Sequence {
  all: readonly StoredExchange[];
  own: readonly StoredExchange[];
}

/** The exchange that is the answer. */
export interface Chosen {
  reason?: undefined;
  stored: StoredExchange;
  sequence: Sequence;
  place: number;
}

/** Gives out the exchanges of each sequence in their order, to each session by itself. */
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
  choose(session: Session, sequence: Sequence): Chosen | Refused {
    const { all, own } = sequence;
    let place = this.#nextOf(session, all);
    while (place < own.length && !isAnswer(own[place] as StoredExchange)) place++;
    const isOver = place >= own.length;
    if (isOver) place = own.findLastIndex(isAnswer);
    const stored = own.at(place) as StoredExchange;
    if (place >= 0 && !(isOver && this.#isStrict)) return { stored, sequence, place };
    const answers = own.filter(isAnswer).length;
    return { reason: answers > 0 ? 'already-served' : 'omitted', stored, recorded: own.length, answers };
  }

  /** What was chosen is served. */
  advance(session: Session, { sequence: { all, own }, place }: Chosen): void {
    // One alone has no places.
    if (own.length > 1 || this.#isStrict) this.#move(session, all, place + 1);
  }

  /** Another upstream answers a request for which all was served. Where that is recorded, behind the others, this session
   *  has had it, too. */
  pass(session: Session, { all }: Sequence): void {
    this.#move(session, all, this.#nextOf(session, all) + 1);
  }

  #nextOf(session: Session, [first]: readonly StoredExchange[]): number {
    return this.#next.get(session)?.get(first) ?? 0;
  }

  #move(session: Session, [first]: readonly StoredExchange[], next: number): void {
    const places = this.#next.get(session) ?? new Map();
    this.#next.set(session, places.set(first, next));
  }
}

/** Says why a request is not answered that matches what was recorded. */
export function refusal(recording: string, refused: Refused): PatchgateError {
  const { request, meta } = refused.stored.exchange;
  const [text, hint] = whyRefused(refused, recordIt(recording));
  return new PatchgateError(
    'no-recording',
    `the recording "${recording}" matches this ${request.method} ${request.path}, but ${text}`,
    { hint, details: { recording, reason: refused.reason, recordedAt: meta.recordedAt } },
  );
}

function whyRefused({ reason, recorded, answers }: Refused, again: string): [text: string, hint: string] {
  if (reason === 'omitted')
    return [
      "the response's body was not kept: it was too large, or in a content coding that cannot be undone here",
      `record it again with a smaller body, or without that coding: ${again}`,
    ];
  const [often, others] =
    answers === recorded ? ['as often', ''] : [times(answers), '; the others are no answers'];
  return [
    `it was recorded ${times(recorded)} and has been served ${often} already (--strict-sequence)${others}`,
    'send it as often as it was recorded, use a session of its own (Patchgate-Session), or start the sequence anew: POST /__patchgate/reset',
  ];
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
