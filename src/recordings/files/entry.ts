import type { Exchange } from '../../model/exchange.ts';
import { exchangeText } from '../store/file-format.ts';
import type { BodyFiles } from './body-files.ts';

/** One exchange of a file's contents, wherever it stands. */
export interface Entry {
  readonly exchange: Exchange;
  /** As it stands in a file. The bodies that this names have files from then on. */
  readonly text: string;
  /** Of one on its way into the file that has its bodies with it: writes those that its text will name. */
  writeBodies?(): void;
}

/** In memory, ready to be replayed. */
export class ObjectEntry implements Entry {
  readonly exchange: Exchange;
  readonly #bodies: BodyFiles | undefined;

  /** @param bodies where its long ones go, if it is on its way into the file */
  constructor(exchange: Exchange, bodies?: BodyFiles) {
    this.exchange = exchange;
    this.#bodies = bodies;
  }

  get text(): string {
    return this.#bodies ? this.#bodies.textOf(this.exchange) : exchangeText(this.exchange);
  }

  writeBodies(): void {
    this.#bodies?.separate(this.exchange);
  }
}

/** What an exchange was before, at the time of another. */
export class RefreshedEntry implements Entry {
  readonly #former: Entry;
  readonly #meta: Exchange['meta'];

  constructor(former: Entry, meta: Exchange['meta']) {
    this.#former = former;
    this.#meta = meta;
  }

  get exchange(): Exchange {
    const { exchange } = this.#former;
    return { ...exchange, meta: { ...exchange.meta, ...this.#meta } };
  }

  get text(): string {
    return exchangeText(this.exchange);
  }
}

/** In memory, at the least expense. */
export class TextEntry implements Entry {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get exchange(): Exchange {
    return JSON.parse(this.text) as Exchange;
  }
}

/** Only its place is in memory. */
export class PlacedEntry implements Entry {
  readonly #source: TextSource;
  readonly #start: number;
  readonly #end: number;

  constructor(source: TextSource, start: number, end: number) {
    this.#source = source;
    this.#start = start;
    this.#end = end;
  }

  get text(): string {
    return this.#source.textAt(this.#start, this.#end);
  }

  get exchange(): Exchange {
    return this.#source.exchangeAt(this.#start, this.#end);
  }
}

/** Where exchanges can be read again: a file, or the journal. */
export interface TextSource {
  textAt(start: number, end: number): string;
  exchangeAt(start: number, end: number): Exchange;
}
