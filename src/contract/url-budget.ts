/** Characters of a host with its port and user: a name has 253 at most. To parse one takes the square of a label's length. */
export const LONGEST_AUTHORITY = 1000;
/** Characters of all those in one body that are not plain: the parser takes a thousand times as long for them. */
export const MOST_CODED = 65_536;

/** Schemes whose hosts the parser looks into; those of others are opaque to it. */
const SPECIAL = /^(?:https?|wss?|ftp|file):[/\\]*/i;

const NOT_PLAIN = /[^\0-\x7f]|%|xn--/i;

/** Bounds what a body's URLs cost: past the bound they are not read any more, and the body is too large. */
export class UrlBudget {
  #left = MOST_CODED;

  /** To be called for each URL. Whether it is to be read. */
  takes(url: string): boolean {
    const authority = authorityOf(url);
    if (authority.length > LONGEST_AUTHORITY) this.#left = -1;
    else if (!NOT_PLAIN.test(authority)) return true;
    else if (this.#left >= 0) this.#left -= authority.length;
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

/** User, host and port, as the parser finds them; empty where it looks for none. */
function authorityOf(url: string): string {
  // What the parser skips: all up to a space before it, and breaks within.
  const text = /^[\0- ]|[\t\n\r]/.test(url) ? url.replace(/^[\0- ]+|[\t\n\r]+/g, '') : url;
  const start = SPECIAL.exec(text)?.[0].length;
  if (start === undefined) return '';
  const length = text.slice(start).search(/[/?#\\]/);
  return length < 0 ? text.slice(start) : text.slice(start, start + length);
}
