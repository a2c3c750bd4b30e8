/** All that a service could be doing behind the requests that are on their way: a small model that lists every case. */

/** Ids of a project's environments; `unknown`: and whatever else. */
export interface Held {
  ids: readonly number[];
  unknown: boolean;
  isDeleted?: true;
}

/** One way in which everything may stand. */
interface World {
  /** The workspace that `current` means; undefined: one that nobody names otherwise. */
  current: string | undefined;
  projects: Record<string, Held>;
  /** What the service has made of each request that is on its way, once it has: the project as it was then. */
  done: Record<number, Held>;
}

interface Request {
  account: string;
  /** What a PATCH makes of the project; undefined: it only reads. */
  sent: Held | undefined;
}

const WHATEVER: Held = { ids: [], unknown: true };
const DELETED: Held = { ids: [], unknown: false, isDeleted: true };

export class ServiceModel {
  #worlds: World[];
  readonly #requests = new Map<number, Request>();
  #next = 0;

  /** @param currents what `current` may mean */
  constructor(currents: readonly (string | undefined)[]) {
    this.#worlds = currents.map((current) => ({ current, projects: {}, done: {} }));
  }

  get requests(): readonly number[] {
    return [...this.#requests.keys()];
  }

  send(account: string, sent: Held | undefined): number {
    const id = this.#next++;
    this.#requests.set(id, { account, sent });
    this.#apply();
    return id;
  }

  /** What the service may have made of a request; undefined: nothing yet. */
  outcomes(id: number): (Held | undefined)[] {
    return [...new Map(this.#worlds.map(({ done }) => [JSON.stringify(done[id]), done[id]])).values()];
  }

  /** It is over, and something is seen of what was made of it. */
  end(id: number, isSeen: (outcome: Held | undefined) => boolean): void {
    this.#requests.delete(id);
    this.#worlds = this.#worlds
      .filter(({ done }) => isSeen(done[id]))
      .map(({ done: { [id]: _, ...done }, ...world }) => ({ ...world, done }));
    this.#apply();
  }

  delete(account: string): void {
    this.#worlds = this.#worlds.map((world) => withProject(world, account, DELETED));
    this.#apply();
  }

  /** What the project may be. */
  held(account: string): Held[] {
    return this.#worlds.map((world) => projectOf(world, account));
  }

  /** At any moment the service may do any of what is on its way. */
  #apply(): void {
    const all = new Map<string, World>();
    const open = [...this.#worlds];
    for (let world = open.pop(); world; world = open.pop()) {
      const key = JSON.stringify(world);
      if (all.has(key)) continue;
      all.set(key, world);
      for (const [id, { account, sent }] of this.#requests) {
        const before = projectOf(world, account);
        if (world.done[id] || before.isDeleted) continue;
        const after = sent ? withProject(world, account, sent) : world;
        open.push({ ...after, done: { ...world.done, [id]: sent ?? before } });
      }
    }
    this.#worlds = [...all.values()];
  }
}

function nameIn({ current }: World, account: string): string {
  return account === 'current' ? (current ?? 'current') : account;
}

function projectOf(world: World, account: string): Held {
  return world.projects[nameIn(world, account)] ?? WHATEVER;
}

function withProject(world: World, account: string, held: Held): World {
  return { ...world, projects: { ...world.projects, [nameIn(world, account)]: held } };
}
