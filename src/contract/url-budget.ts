import { isAscii } from '../model/url.ts';

/** UTF-16 code units of the URLs of one body that are not ASCII. Reading them costs twenty times what others do. */
export const MOST_CODED = 262_144;

/** Bounds what a body's URLs cost: past the bound they are not read any more, and the body is too large. */
export class UrlBudget {
  #left = MOST_CODED;

  /** To be called for each URL. Whether it is to be read. */
  takes(url: string): boolean {
    if (isAscii(url)) return true;
    if (this.#left >= 0) this.#left -= url.length;
    return this.#left >= 0;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** To be called before each body. */
  reset(): void {
    this.#left = MOST_CODED;
  }
}
