import { resolve } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { type RecordedUpdate, recordedUpdate, type SentExchange } from '../../guard/recorded-history.ts';
import { type Known, LEARNT, mayBeSame, type RecordName } from '../../model/record.ts';
import { either } from '../../state/known.ts';
import { KnownState } from '../../state/known-state.ts';

export interface InitialStateOptions {
  /** File with what is known before the first exchange, and of the records that bodies are for. */
  state?: string | undefined;
}

interface KnownRecord {
  name: RecordName;
  known: Known;
}

/** What is known before anything is judged. It is the same for each recording and body: none of them follows another. */
export class InitialState {
  readonly #records = new Map<string, KnownRecord[]>();

  constructor(records: Iterable<KnownRecord>) {
    for (const record of records) listIn(this.#records, sharedKey(record.name)).push(record);
  }

  mayBeSame(one: RecordName, other: RecordName): boolean {
    return mayBeSame(one, other, { isExact: false });
  }

  /** Whether something is known of a record, or of one that may be the same. */
  has(name: RecordName): boolean {
    return this.#records.has(sharedKey(name));
  }

  /** The state of a record, and of those that may be the same, to begin with. */
  stateOf(name: RecordName): KnownState {
    const state = new KnownState();
    for (const { name: own, known } of this.#records.get(sharedKey(name)) ?? []) state.restore(own, known);
    return state;
  }
}

/** The same for records that may be the same one, each by another account's name. */
function sharedKey({ kind, id }: RecordName): string {
  return `${kind} ${id}`;
}

/** @throws PatchgateError `bad-input`, `cannot-read`: the state file is not there, cannot be read or has another shape */
export async function readInitialState(options: InitialStateOptions, cwd: string): Promise<InitialState> {
  if (options.state === undefined) return new InitialState([]);
  const { journalOf, markOf, readKept } = await import('../../guard/state-files.ts');
  const file = resolve(cwd, options.state);
  if (markOf(file, journalOf(file)) === undefined) {
    throw new PatchgateError('bad-input', `cannot read the state ${options.state}: it does not exist`, {
      hint: 'check the path given with --state, or leave it out to know only what the recordings show',
    });
  }
  return new InitialState(readKept(file).records.values());
}

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

/**
 * The exchanges of a recording, of an HTTP archive or of JSON Lines, in their order. What each adds to what is known is kept by record;
 * for each file that is judged the steps of its records are applied anew.
 */
export class History {
  readonly #gate: Gate;
  readonly #initial: InitialState;
  /** By the kinds and ids of records. */
  readonly #steps = new Map<string, Step[]>();
  readonly #unsorted = new Set<Step[]>();
  /** How far the steps of a record are applied, for the PATCHes of one file: the index of the first that is not. */
  readonly #cursors = new Map<string, { next: number; state: KnownState }>();

  constructor(gate: Gate, initial: InitialState) {
    this.#gate = gate;
    this.#initial = initial;
  }

  /** Takes in an exchange. Where times are equal, the one that was taken in first came first. */
  add(exchange: SentExchange, place: ExchangePlace, time: number): void {
    const isKnown = (name: RecordName) => this.#initial.has(name);
    const update = recordedUpdate(this.#gate, LEARNT, exchange, isKnown);
    if (!update || !(LEARNT.includes(update.name.kind) || isKnown(update.name))) return;
    const steps = listIn(this.#steps, sharedKey(update.name));
    if (time < (steps.at(-1)?.time ?? time)) this.#unsorted.add(steps);
    steps.push({ ...place, time, update });
  }

  /** What is known before an exchange; to be asked in the order of its file, once all that came before was taken in. */
  knownBefore(name: RecordName, place: ExchangePlace): Known | undefined {
    const steps = listIn(this.#steps, sharedKey(name));
    if (this.#unsorted.delete(steps)) steps.sort((a, b) => a.time - b.time);
    const key = `${place.file} ${sharedKey(name)} ${name.account} ${name.base}`;
    const cursor = this.#cursors.get(key) ?? { next: 0, state: this.#initial.stateOf(name) };
    this.#cursors.set(key, cursor);
    const { state } = cursor;
    /** The time of the last answer, and what was known before the answers of that time. */
    let moment: number | undefined;
    let early: Known | undefined;
    for (; cursor.next < steps.length; cursor.next++) {
      const { update, time, file, index } = steps[cursor.next] as Step;
      if (!this.#initial.mayBeSame(update.name, name)) continue;
      if (file === place.file && index >= place.index) {
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

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
