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
function anyOf(names: Iterable<string>): string | undefined {
  const patterns: string[] = [];
  for (const name of names) {
    if (!/^[ -~]+$/.test(name)) return undefined;
    const letters = Array.from(name, (char) => {
      // The kelvin sign is a capital k as well, by itself or as its bytes.
      if (char === 'k') return '(?:k|\u212a|\\xe2\\x84\\xaa)';
      return char.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
    });
    patterns.push(letters.join('[-_ ]*'));
  }
  return patterns.join('|');
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}
