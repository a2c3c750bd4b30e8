import type { Gate } from '../../../gate/gate.ts';
import { type RecordedUpdate, recordedUpdate } from '../../../guard/recorded-history.ts';
import type { Exchange } from '../../../model/exchange.ts';
import type { Known, RecordName } from '../../../model/record.ts';
import { orderTimes } from '../../../recordings/order-times.ts';
import { either } from '../../../state/known.ts';
import type { KnownState } from '../../../state/known-state.ts';
import { type Beforehand, sharedKey } from './beforehand.ts';

/** What is known before an exchange of a file; to be asked in the order of the file. @param index in the file */
export type KnownBefore = (name: RecordName, index: number) => Known | undefined;

interface Step {
  /** Milliseconds since 1970. */
  time: number;
  /** Of those that were taken in. */
  number: number;
  /** Where its exchange stands: the file's number, and the index in there. */
  file: number;
  index: number;
  update: RecordedUpdate;
}

/**
 * The exchanges of a recording as a history. It keeps what each of them teaches, by record, and no state: for each file that is
 * judged, what happened to its record is told once more. A record is the matter of few files, so that costs little.
 */
export class History {
  readonly #gate: Gate;
  readonly #beforehand: Beforehand;
  /** By the kinds and ids of records, then by their names. */
  readonly #steps = new Map<string, Map<string, { name: RecordName; steps: Step[] }>>();
  #count = 0;

  constructor(gate: Gate, beforehand: Beforehand) {
    this.#gate = gate;
    this.#beforehand = beforehand;
  }

  /**
   * Takes in the exchanges of a file. Where times are equal, what was taken in first came first.
   *
   * @param file its number
   * @returns whether some of them are to be judged by what is known
   */
  add(file: number, exchanges: readonly Exchange[]): boolean {
    const { learn } = this.#beforehand;
    const isKnown = (name: RecordName) => this.#beforehand.has(name);
    let isJudged = false;
    const timeOf = orderTimes();
    for (const [index, exchange] of exchanges.entries()) {
      const time = timeOf(exchange);
      const update = recordedUpdate(this.#gate, learn, exchange, isKnown);
      if (!update || !(learn.includes(update.name.kind) || isKnown(update.name))) continue;
      isJudged ||= update.isJudged;
      const key = sharedKey(update.name);
      const named = this.#steps.get(key) ?? new Map<string, { name: RecordName; steps: Step[] }>();
      this.#steps.set(key, named);
      const own = this.#keyOf(update.name);
      const { steps } = named.get(own) ?? { steps: [] as Step[] };
      named.set(own, { name: update.name, steps });
      steps.push({ time, number: this.#count++, file, index, update });
    }
    return isJudged;
  }

  /** Tells it for a file, once all files have been taken in. */
  knownIn(file: number): KnownBefore {
    const stories = new Map<string, Story>();
    return (name, index) => {
      const key = `${sharedKey(name)} ${this.#keyOf(name)}`;
      let story = stories.get(key);
      if (!story) {
        story = { steps: this.#stepsOf(name), next: 0, state: this.#beforehand.stateOf(name) };
        stories.set(key, story);
      }
      return knownBefore(story, name, file, index);
    };
  }

  #keyOf(name: RecordName): string {
    return `${this.#beforehand.accountOf(name)} ${name.base}`;
  }

  /** Those of a record, and of what may be the same one by another name. */
  #stepsOf(name: RecordName): Step[] {
    return [...(this.#steps.get(sharedKey(name))?.values() ?? [])]
      .filter((other) => this.#beforehand.mayBeSame(other.name, name))
      .flatMap(({ steps }) => steps)
      .sort(inOrder);
  }
}

/** What happened to a record, told up to a step. */
interface Story {
  steps: readonly Step[];
  /** Index of the first step that is still to be told. */
  next: number;
  state: KnownState;
}

/**
 * Tells a story up to an exchange. Whether an answer in another file came before or after it in the same millisecond, nobody
 * knows: what was known without that counts as well.
 */
function knownBefore(story: Story, name: RecordName, file: number, index: number): Known | undefined {
  const { steps, state } = story;
  let moment: number | undefined;
  let early: Known | undefined;
  for (; story.next < steps.length; story.next++) {
    const step = steps[story.next] as Step;
    if (step.file === file && step.index >= index) {
      return step.time === moment ? either(early, state.of(name)) : state.of(name);
    }
    if (step.update.isJudged) moment = undefined;
    else if (step.time !== moment) {
      moment = step.time;
      early = state.of(name);
    }
    step.update.apply(state);
  }
  return state.of(name);
}

/** Those of the same time stay in the order of their files. */
function inOrder(a: Step, b: Step): number {
  return a.time - b.time || a.number - b.number;
}
