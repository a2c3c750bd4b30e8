import type { Exchange } from '../model/exchange.ts';

/** The exchanges of one method and path, oldest first, wherever they stand. Others may be added behind them. */
export interface KeptExchanges {
  readonly length: number;
  /** @throws PatchgateError `bad-recording`, `cannot-read` where it must be read again and cannot be */
  at(index: number): Exchange;
  /** Name of the session that an exchange was recorded in; `""` is the default one. To know it, none is read from disk. */
  sessionOf(index: number): string;
  /** Positions of the exchanges whose requests have this key (`requestKey`), in their order. */
  withKey(key: string): readonly number[];
  /** Positions of the exchanges with a placeholder in their request: no key finds these. */
  readonly open: readonly number[];
}

/** What matching must know of a recorded request to find it. */
export interface RequestFacts {
  /** `requestKey`: one UTF-16 code unit for each of its 20 bytes. */
  key: string;
  isOpen: boolean;
}

/** Exchanges in a list, to which others may be added. */
export class ListedExchanges implements KeptExchanges {
  readonly #list: readonly { readonly exchange: Exchange }[];
  readonly #factsOf: (exchange: Exchange) => RequestFacts;
  readonly #byKey = new Map<string, number[]>();
  readonly #open: number[] = [];
  /** By position, of those that are indexed and have one. */
  readonly #sessions = new Map<number, string>();
  #indexed = 0;

  constructor(
    list: readonly { readonly exchange: Exchange }[],
    factsOf: (exchange: Exchange) => RequestFacts,
  ) {
    this.#list = list;
    this.#factsOf = factsOf;
  }

  get length(): number {
    return this.#list.length;
  }

  at(index: number): Exchange {
    return (this.#list[index] as { exchange: Exchange }).exchange;
  }

  sessionOf(index: number): string {
    const name = index < this.#indexed ? this.#sessions.get(index) : this.at(index).meta.session;
    return name ?? '';
  }

  withKey(key: string): readonly number[] {
    this.#bringUpToDate();
    return this.#byKey.get(key) ?? [];
  }

  get open(): readonly number[] {
    this.#bringUpToDate();
    return this.#open;
  }

  /** The index is made when it is first asked for: the few exchanges of most paths are found without. */
  #bringUpToDate(): void {
    for (; this.#indexed < this.#list.length; this.#indexed++) {
      const exchange = this.at(this.#indexed);
      const { key, isOpen } = this.#factsOf(exchange);
      const { session } = exchange.meta;
      if (session !== undefined) this.#sessions.set(this.#indexed, session);
      if (isOpen) this.#open.push(this.#indexed);
      else if (!this.#byKey.get(key)?.push(this.#indexed)) this.#byKey.set(key, [this.#indexed]);
    }
  }
}

/** A list that is longer is put together once. */
const SHORT = 16;

/** Exchanges behind others. */
export class JoinedExchanges implements KeptExchanges {
  readonly #first: KeptExchanges;
  readonly #then: KeptExchanges;
  /** Long lists of positions that were asked for, by key, and how many of each are of those behind. */
  readonly #long = new Map<string, { list: number[]; behind: number }>();

  constructor(first: KeptExchanges, then: KeptExchanges) {
    this.#first = first;
    this.#then = then;
  }

  get length(): number {
    return this.#first.length + this.#then.length;
  }

  at(index: number): Exchange {
    const { length } = this.#first;
    return index < length ? this.#first.at(index) : this.#then.at(index - length);
  }

  sessionOf(index: number): string {
    const { length } = this.#first;
    return index < length ? this.#first.sessionOf(index) : this.#then.sessionOf(index - length);
  }

  withKey(key: string): readonly number[] {
    const then = this.#then.withKey(key);
    if (then.length === 0) return this.#first.withKey(key);
    let known = this.#long.get(key);
    if (!known) {
      const list = this.#join(this.#first.withKey(key), then);
      if (list.length <= SHORT) return list;
      known = { list, behind: then.length };
      this.#long.set(key, known);
    }
    for (; known.behind < then.length; known.behind++)
      known.list.push((then[known.behind] as number) + this.#first.length);
    return known.list;
  }

  get open(): readonly number[] {
    const then = this.#then.open;
    return then.length === 0 ? this.#first.open : this.#join(this.#first.open, then);
  }

  #join(first: readonly number[], then: readonly number[]): number[] {
    return [...first, ...then.map((index) => index + this.#first.length)];
  }
}
