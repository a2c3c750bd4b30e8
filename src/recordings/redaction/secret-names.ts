/** How many answers are remembered: names come from traffic, so there is no end of them. */
const MOST_REMEMBERED = 4096;
const LONGEST_REMEMBERED = 64;

/** Signs before which names are looked for one by one. */
const MOST_SIGNS = 16;

const ANYWHERE = /(?:)/;

/** Names without regard to letter case, `-` and `_`: `api-key`, `API_KEY` and `apiKey` are one. */
export class SecretNames {
  readonly #names: ReadonlySet<string>;
  readonly #quoted: RegExp;
  readonly #assigned: RegExp;
  readonly #remembered = new Map<string, boolean>();

  constructor(names: Iterable<string>) {
    this.#names = new Set(Array.from(names, bare));
    const anyName = anyOf(this.#names);
    // What cannot be looked for could be anywhere.
    this.#quoted = anyName === undefined ? ANYWHERE : new RegExp(`"[-_]*(?:${anyName})[-_]*\\\\*"`, 'i');
    this.#assigned = anyName === undefined ? ANYWHERE : new RegExp(`(?:${anyName})[-_\\]]*=`, 'i');
  }

  /**
   * False: no name in double quotes or before a `=` in this text, escaped or not, is one of these. The text may be UTF-8
   * that is read as Latin-1, so that bytes can be looked at as they are, at a quarter of what parsing them costs.
   */
  mayBeIn(text: string): boolean {
    return text.includes('\\u') || this.#quoted.test(text) || this.#isAssigned(text);
  }

  /** Most texts have few of these signs, if any: it is cheaper to look at what stands before each. */
  #isAssigned(text: string): boolean {
    let count = 0;
    for (let equals = text.indexOf('='); equals >= 0; equals = text.indexOf('=', equals + 1)) {
      if (++count > MOST_SIGNS) return this.#assigned.test(text);
      if (this.#assigned.test(text.slice(Math.max(0, equals - LONGEST_REMEMBERED), equals + 1))) return true;
    }
    return false;
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
    patterns.push(letters.join('[-_]*'));
  }
  return patterns.join('|');
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}
