import type { Exchange } from '../../model/exchange.ts';
import { exchangeText } from './file-format.ts';

/** One exchange of a file's contents, wherever it stands. */
export interface Entry {
  readonly exchange: Exchange;
  /** As it stands in a file. */
  readonly text: string;
}

/** In memory, ready to be replayed. */
export class ObjectEntry implements Entry {
  readonly exchange: Exchange;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
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
