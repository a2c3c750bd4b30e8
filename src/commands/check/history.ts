import type { Gate } from '../../gate/gate.ts';
import { type RecordedUpdate, recordedUpdate } from '../../guard/recorded-history.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { Known, RecordName } from '../../model/record.ts';
import { either } from '../../state/known.ts';
import type { KnownState } from '../../state/known-state.ts';
import { type InitialState, sharedKey } from './initial-state.ts';

/** Where an exchange stands: the number of its file, and its index in there. */
export interface ExchangePlace {
  file: number;
  index: number;
}

interface Step extends ExchangePlace {
  /** Milliseconds since 1970, or any other number that rises. */
  time: number;
  update: RecordedUpdate;
}

/** How far the steps of a record are applied, for the PATCHes of one file. */
interface HistoryCursor {
  /** Index of the first step that is not applied. */
  next: number;
  state: KnownState;
}

/**
 * The exchanges of a recording, of an HTTP archive or of JSON Lines, in their order. What each adds to what is known is kept by record, and no
 * state: for each file that is judged the steps of its record are applied anew. Few files are about one record.
 */
export class History {
  readonly #gate: Gate;
  readonly #initial: InitialState;
  /** By the kinds and ids of records. */
  readonly #steps = new Map<string, Step[]>();
  readonly #unsorted = new Set<Step[]>();
  readonly #cursors = new Map<string, HistoryCursor>();

  constructor(gate: Gate, initial: InitialState) {
    this.#gate = gate;
    this.#initial = initial;
  }

  /**
   * Takes in an exchange. Where times are equal, the one that was taken in first came first.
   *
   * @returns whether it is a PATCH that is to be judged by what is known
   */
  add(exchange: Exchange, place: ExchangePlace, time: number): boolean {
    const { learn } = this.#initial;
    const isKnown = (name: RecordName) => this.#initial.has(name);
    const update = recordedUpdate(this.#gate, learn, exchange, isKnown);
    if (!update || !(learn.includes(update.name.kind) || isKnown(update.name))) return false;
    const key = sharedKey(update.name);
    const steps = this.#steps.get(key) ?? [];
    this.#steps.set(key, steps);
    if (time < (steps.at(-1)?.time ?? time)) this.#unsorted.add(steps);
    steps.push({ ...place, time, update });
    return update.isJudged;
  }

  /** What is known before an exchange; to be asked in the order of its file, once all that came before was taken in. */
  knownBefore(name: RecordName, place: ExchangePlace): Known | undefined {
    const shared = sharedKey(name);
    const steps = this.#steps.get(shared) ?? [];
    if (this.#unsorted.delete(steps)) steps.sort((a, b) => a.time - b.time);
    const key = `${place.file} ${shared} ${this.#initial.accountOf(name)} ${name.base}`;
    let cursor = this.#cursors.get(key);
    if (!cursor) {
      cursor = { next: 0, state: this.#initial.stateOf(name) };
      this.#cursors.set(key, cursor);
    }
    const { state } = cursor;
    /** The time of the last answer, and what was known before the answers of that time. */
    let moment: number | undefined;
    let early: Known | undefined;
    for (; cursor.next < steps.length; cursor.next++) {
      const step = steps[cursor.next] as Step;
      const { update, time } = step;
      if (!this.#initial.mayBeSame(update.name, name)) continue;
      if (step.file === place.file && step.index >= place.index) {
        // An answer of the same millisecond in another file may have come before or after it.
        return time === moment ? either(early, state.of(name)) : state.of(name);
      }
      if (update.isJudged) moment = undefined;
      else if (time !== moment) {
        moment = time;
        early = state.of(name);
      }
      update.apply(state);
    }
    return state.of(name);
  }
}
