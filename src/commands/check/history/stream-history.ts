import type { Gate } from '../../../gate/gate.ts';
import { recordedUpdate } from '../../../guard/recorded-history.ts';
import type { Exchange } from '../../../model/exchange.ts';
import type { Known, RecordName } from '../../../model/record.ts';
import type { KnownState } from '../../../state/known-state.ts';
import { type Beforehand, sharedKey } from './beforehand.ts';

/**
 * The exchanges of a file as a history that is told while it is read, in the order of the file. What it knows is bounded, as it
 * is in a proxy.
 */
export class StreamHistory {
  readonly #gate: Gate;
  readonly #beforehand: Beforehand;
  readonly #state: KnownState;
  /** The records, by kind and id, of which what was known before is in the state. */
  readonly #begun = new Set<string>();

  constructor(gate: Gate, beforehand: Beforehand) {
    this.#gate = gate;
    this.#beforehand = beforehand;
    this.#state = beforehand.newState();
  }

  /** What is known of a record now. */
  known(name: RecordName): Known | undefined {
    this.#begin(name);
    return this.#state.of(name);
  }

  /** Takes in the next exchange, once what it asked for was judged. */
  tell(exchange: Exchange): void {
    const { learn } = this.#beforehand;
    const isKnown = (name: RecordName) => this.#beforehand.has(name);
    const update = recordedUpdate(this.#gate, learn, exchange, isKnown);
    if (!update || !(learn.includes(update.name.kind) || isKnown(update.name))) return;
    this.#begin(update.name);
    update.apply(this.#state);
  }

  #begin(name: RecordName): void {
    if (!this.#beforehand.has(name)) return;
    const key = sharedKey(name);
    if (this.#begun.has(key)) return;
    this.#begun.add(key);
    this.#beforehand.restore(name, this.#state);
  }
}
