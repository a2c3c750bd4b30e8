import { PatchgateError } from '../../errors.ts';
import type { Exchange, FailureKind } from '../../model/exchange.ts';
import { recordIt } from '../../recordings/matching/explain-path.ts';
import type { StoredExchange } from '../../recordings/store/stored-exchange.ts';
import type { Session } from '../session.ts';

/** Why a recorded exchange is never an answer: the target failed, its body was not kept, or it is too old. */
export type Unanswerable = 'failure' | 'omitted' | 'stale';

export interface Answering {
  /** Fail as the target did. */
  replayFailures?: boolean | undefined;
  /** Milliseconds from which an exchange is stale; undefined: none is. */
  maxAge?: number | undefined;
  onStale?: 'warn' | 'refuse' | undefined;
}

/** @returns undefined where it can be an answer */
export function whyUnanswerable(
  stored: StoredExchange,
  { replayFailures = false, maxAge, onStale = 'warn' }: Answering,
): Unanswerable | undefined {
  if (stored.isFailure) {
    if (!replayFailures) return 'failure';
  } else if (!stored.answer) {
    const { response } = stored.exchange;
    if (!response) return 'failure';
    if (response.body && 'omitted' in response.body) return 'omitted';
  }
  return maxAge !== undefined && onStale === 'refuse' && ageOf(stored) > maxAge ? 'stale' : undefined;
}

/** Milliseconds since it was recorded. Less than 0 where another clock is ahead of ours: that is not old. */
export function ageOf({ meta }: Pick<Exchange, 'meta'>): number {
  return Date.now() - Date.parse(meta.recordedAt);
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** In whole units of the largest that fits: `45d`, `3h`. What is shorter than a second: `0s`. */
export function ageText(milliseconds: number): string {
  const [unit, length] = UNITS.find(([, least]) => milliseconds >= least) ?? ['s', 1000];
  return `${Math.max(0, Math.floor(milliseconds / length))}${unit}`;
}

/** Why no exchange of a sequence is the answer. */
interface Refused {
  reason: Unanswerable | 'already-served';
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
  readonly #whyNot: (stored: StoredExchange) => Unanswerable | undefined;
  readonly #isAnswer = (stored: StoredExchange) => this.#whyNot(stored) === undefined;

  /** @param isStrict the last one does not repeat
   *  @param whyNot why an exchange is never given out */
  constructor(isStrict: boolean, whyNot: (stored: StoredExchange) => Unanswerable | undefined) {
    this.#isStrict = isStrict;
    this.#whyNot = whyNot;
  }

  /** The first exchange, from where the session is, that can be an answer; past the last of them, that one again. */
  choose(session: Session, sequence: Sequence): Chosen | Refused {
    const { all, own } = sequence;
    let place = this.#nextOf(session, all);
    while (place < own.length && !this.#isAnswer(own[place] as StoredExchange)) place++;
    const isOver = place >= own.length;
    if (isOver) place = own.findLastIndex(this.#isAnswer);
    const stored = own.at(place) as StoredExchange;
    if (place >= 0 && !(isOver && this.#isStrict)) return { stored, sequence, place };
    const answers = own.filter(this.#isAnswer).length;
    return { reason: this.#whyNot(stored) ?? 'already-served', stored, recorded: own.length, answers };
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
  const { exchange } = refused.stored;
  const { method, path } = exchange.request;
  const [text, hint] = whyRefused(refused, exchange, recordIt(recording));
  return new PatchgateError(
    'no-recording',
    `the recording "${recording}" matches this ${method} ${path}, but ${text}`,
    { hint, details: { recording, reason: refused.reason, recordedAt: exchange.meta.recordedAt } },
  );
}

function whyRefused(
  { reason, recorded, answers }: Refused,
  exchange: Exchange,
  again: string,
): [text: string, hint: string] {
  switch (reason) {
    case 'already-served': {
      const [often, others] =
        answers === recorded ? ['as often', ''] : [times(answers), '; the others are no answers'];
      return [
        `it was recorded ${times(recorded)} and has been served ${often} already (--strict-sequence)${others}`,
        'send it as often as it was recorded, use a session of its own (Patchgate-Session), or start the sequence anew: POST /__patchgate/reset',
      ];
    }
    case 'stale':
      return [
        `it was recorded ${ageText(ageOf(exchange))} ago, which is too old (--max-age, --on-stale refuse)`,
        `record it again: ${again}`,
      ];
    case 'failure':
      return [
        `${exchange.failure ? FAILED[exchange.failure.kind] : 'there was no response'} when it was recorded`,
        `record it again: ${again}; or let it fail as it did then: --replay-failures`,
      ];
    case 'omitted':
      return [
        "the response's body was not kept: it was too large, or in a content coding that cannot be undone here",
        `record it again with a larger limit: ${again} --record-limit SIZE`,
      ];
  }
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** What became of the request when it was recorded. */
const FAILED: Readonly<Record<FailureKind, string>> = {
  refused: 'no connection to the target could be made',
  timeout: 'the target did not answer in time',
  reset: 'the connection to the target broke',
  truncated: 'the response broke off',
};
