import type { Exchange } from '../model/exchange.ts';

/** The exchanges of one method and path, oldest first, wherever they stand. Others may be added behind them. */
export interface KeptExchanges {
  readonly length: number;
  /** @throws PatchgateError `bad-recording`, `cannot-read` where it must be read again and cannot be */
  at(index: number): Exchange;
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
      const { key, isOpen } = this.#factsOf(this.at(this.#indexed));
      if (isOpen) this.#open.push(this.#indexed);
      else if (!this.#byKey.get(key)?.push(this.#indexed)) this.#byKey.set(key, [this.#indexed]);
    }
  }
}

/** Exchanges behind others. */
export class JoinedExchanges implements KeptExchanges {
  readonly #first: KeptExchanges;
  readonly #then: KeptExchanges;

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

  withKey(key: string): readonly number[] {
    return this.#join(this.#first.withKey(key), this.#then.withKey(key));
  }

  get open(): readonly number[] {
    return this.#join(this.#first.open, this.#then.open);
  }

  #join(first: readonly number[], then: readonly number[]): readonly number[] {
    if (then.length === 0) return first;
    return [...first, ...then.map((index) => index + this.#first.length)];
  }
}
