/** A place among those who want to change the same thing. */
export interface Turn {
  /** Whoever comes may go alongside, if it wants to. */
  share(): void;
  /** To be called once the change is over; more often does nothing. */
  leave(): void;
}

export interface Visit {
  /** Nobody else is there. */
  alone(turn: Turn): void;
  /** Others that share are there. False: it does not want that, and waits until it is alone. */
  alongside(turn: Turn): boolean;
}

interface Lane {
  running: number;
  isShared: boolean;
  /** In the order of coming. */
  readonly waiting: Set<Visit>;
  /** Somebody calls those that wait already: without that, a long queue of short visits would be a deep stack. */
  isCalling: boolean;
  /** Wants to be alone: it is not asked again while others are there. */
  patient: Visit | undefined;
}

/** Lets those who want to change the same thing do so one after the other, in the order in which they came. */
export class Turns {
  readonly #lanes = new Map<string, Lane>();

  /**
   * Calls the visit back at once where it can.
   *
   * @returns for whoever does not want to wait any longer. False: its turn has come already
   */
  enter(key: string, visit: Visit): () => boolean {
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = { running: 0, isShared: false, waiting: new Set(), isCalling: false, patient: undefined };
      this.#lanes.set(key, lane);
    }
    lane.waiting.add(visit);
    this.#call(key, lane);
    const { waiting } = lane;
    return () => waiting.delete(visit);
  }

  #call(key: string, lane: Lane): void {
    if (lane.isCalling) return;
    lane.isCalling = true;
    // Who is added while this goes on comes at the end.
    for (const next of lane.waiting) {
      if (lane.running > 0 && (!lane.isShared || lane.patient === next)) break;
      const isAlone = lane.running === 0;
      lane.running++;
      const turn = this.#turn(key, lane);
      if (isAlone) {
        lane.isShared = false;
        lane.waiting.delete(next);
        next.alone(turn);
      } else if (next.alongside(turn)) lane.waiting.delete(next);
      else {
        lane.running--;
        lane.patient = next;
        break;
      }
    }
    lane.isCalling = false;
    if (lane.running === 0) this.#lanes.delete(key);
  }

  #turn(key: string, lane: Lane): Turn {
    let isOver = false;
    return {
      share: () => {
        if (isOver) return;
        lane.isShared = true;
        this.#call(key, lane);
      },
      leave: () => {
        if (isOver) return;
        isOver = true;
        lane.running--;
        if (lane.running === 0) this.#call(key, lane);
      },
    };
  }
}
