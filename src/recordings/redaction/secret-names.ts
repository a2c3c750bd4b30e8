/** How many answers are remembered: names come from traffic, so there is no end of them. */
const MOST_REMEMBERED = 4096;
const LONGEST_REMEMBERED = 64;

const ANYWHERE = /(?:)/;

/** What stands behind a name that has a value: a quote, `=`, `:`, or the end of a tag; all of these may be escaped. */
const BEHIND = '[-_ ]*(?:\\\\*["\']|(?:[[\\]\\d]|%(?:25)*5[BD])*\\s{0,8}(?:[:=>]|%(?:25)*3D))';

/** Names without regard to letter case, `-`, `_` and spaces: `api-key`, `API_KEY` and `apiKey` are one. */
export class SecretNames {
  readonly #names: ReadonlySet<string>;
  readonly #written: RegExp;
  readonly #remembered = new Map<string, boolean>();

  constructor(names: Iterable<string>) {
    this.#names = new Set(Array.from(names, bare));
    const anyName = anyOf(this.#names);
    // What cannot be looked for could be anywhere.
    this.#written = anyName === undefined ? ANYWHERE : new RegExp(`(?:${anyName})${BEHIND}`, 'i');
  }

  /**
   * False: no name in quotes, before a `=` or `:` or at the end of a tag in this text, escaped or not, is one of these. The
   * text may be UTF-8 that is read as Latin-1, so that bytes can be looked at as they are, at a quarter of what parsing
   * them costs.
   */
  mayBeIn(text: string): boolean {
    return text.includes('\\u') || this.#written.test(text);
  }

  /** Asked for every member of every body that is recorded, hence the memory. */
  has(name: string): boolean {
    const remembered = this.#remembered.get(name);
    if (remembered !== undefined) return remembered;
    const secret = this.#names.has(bare(name));
    if (name.length <= LONGEST_REMEMBERED) {
      if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(name, secret);
    }
    return secret;
  }
}

/** The pattern of these names in any way to write them; undefined where one has other letters than ASCII's. */
function anyOf(names: ReadonlySet<string>): string | undefined {
  const all = [...names];
  if (!all.every((name) => /^[ -~]+$/.test(name))) return undefined;
  // `accessToken` is found by `token`.
  const least = all.filter((name) => !all.some((other) => other !== name && name.endsWith(other)));
  return least.map((name) => spelt(name.split(''), LETTERS_TOGETHER)).join('|');
}

/** First letters that have a branch without signs between them: letters that stand together are looked for in one step. */
const LETTERS_TOGETHER = 2;

function spelt([first = '', ...others]: string[], together: number): string {
  const letter = spelling(first);
  if (others.length === 0) return letter;
  const rest = spelt(others, 0);
  return together === 0
    ? `${letter}[-_ ]*${rest}`
    : `${letter}(?:${spelt(others, together - 1)}|[-_ ]+${rest})`;
}

function spelling(char: string): string {
  // The kelvin sign is a capital k as well, by itself or as its bytes.
  return char === 'k' ? '(?:k|\u212a|\\xe2\\x84\\xaa)' : char.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}
