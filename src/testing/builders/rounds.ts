/** Places of a value of schemas that hold themselves: one that is broken place by place is written that often. */
const MOST_ROUND = 1000;
/** Rounds, and levels of objects that have what may be left out. The last try is for what the schemas ask for themselves. */
const TRIES = [
  [2, Infinity],
  [1, Infinity],
  [0, Infinity],
  [0, 4],
  [0, 3],
  [0, 2],
  [0, 1],
] as const;
/** Of any: more values than that the gate takes in no body. */
const MOST_PLACES = 200_000;

/**
 * How far schemas are gone into. Those that hold themselves or one another have no end, and soon more values than anybody can
 * hold: such ones are gone into less.
 */
export class Rounds {
  readonly #most: number;
  readonly #levels: number;
  #made = 0;
  #goesRound = false;

  /** @param most rounds of a schema that holds itself. @param levels of objects that have what may be left out */
  constructor(most: number, levels: number) {
    this.#most = most;
    this.#levels = levels;
  }

  /** @param way the subschemas that are gone through, with those of the place. @returns whether one more place may be made */
  take(way: readonly unknown[]): boolean {
    const times = timesRound(way);
    this.#goesRound ||= times > 0;
    if (this.areTooMany || times > this.#most) return false;
    this.#made++;
    return true;
  }

  /** @param level objects around one. @returns whether it has what may be left out */
  isWhole(level: number): boolean {
    return level < this.#levels;
  }

  get areTooMany(): boolean {
    return this.#made > (this.#goesRound && this.#levels > 1 ? MOST_ROUND : MOST_PLACES);
  }
}

/** What is made by going as far as keeps it small. @returns undefined where it never is, or nothing could be made */
export function withRounds<Made>(make: (rounds: Rounds) => Made | undefined): Made | undefined {
  for (const [most, levels] of TRIES) {
    const rounds = new Rounds(most, levels);
    const made = make(rounds);
    if (!rounds.areTooMany) return made;
  }
  return undefined;
}

/** How often a way comes to a subschema where it was before, of the one for which that is most often. */
function timesRound(way: readonly unknown[]): number {
  const times = new Map<unknown, number>();
  for (const at of way) times.set(at, (times.get(at) ?? 0) + 1);
  return Math.max(0, ...times.values()) - 1;
}
