import type { Exchange } from '../../model/exchange.ts';
import type { Session } from '../session.ts';
import type { Unanswerable } from './answerable.ts';
import { choose, type Refused } from './choose.ts';
import { Cursors } from './cursors.ts';
import type { Found } from './look-up.ts';

/** An exchange that is to be served to whoever took it. */
export interface Taken {
  exchange: Exchange;
  /** Its place in its file, from 0. */
  index: number;
  /** It is the only one that was recorded for the request, in whatever session. */
  isOnly: boolean;
  /** The session's next answer to this request may be another one. */
  isOfSequence: boolean;
  /** It could not be served: the next one gets it, unless another was taken meanwhile. */
  giveBack(): void;
}

/** Gives out the exchanges of each sequence in their order, to each session by itself. */
export class Sequences {
  readonly #cursors = new Cursors();
  readonly #isStrict: boolean;
  readonly #whyNot: (exchange: Exchange) => Unanswerable | undefined;

  /** @param isStrict the last one does not repeat
   *  @param whyNot why an exchange is never given out */
  constructor(isStrict: boolean, whyNot: (exchange: Exchange) => Unanswerable | undefined) {
    this.#isStrict = isStrict;
    this.#whyNot = whyNot;
  }

  /** The next exchange. Of equal requests at once, each gets another one. */
  take(session: Session, found: Found): Taken | Refused {
    const { key } = found;
    const isSequence = found.length > 1 || this.#isStrict;
    const next = isSequence ? this.#cursors.at(session, key) : 0;
    const choice = choose(found, next, this.#isStrict, this.#whyNot);
    if ('reason' in choice) return choice;
    const after = choice.place + 1;
    if (isSequence) this.#cursors.move(session, key, after);
    return {
      exchange: found.at(choice.place),
      index: found.indexOf(choice.place),
      isOnly: found.isAll && found.length === 1,
      isOfSequence: found.length > 1,
      giveBack: () => {
        if (isSequence && this.#cursors.at(session, key) === after) this.#cursors.move(session, key, next);
      },
    };
  }

  /** Somebody else answers a request for which all was served. Where that is recorded, behind the others, this session
   *  has had it, too. */
  pass(session: Session, { key }: Found): void {
    this.#cursors.move(session, key, this.#cursors.at(session, key) + 1);
  }
}
