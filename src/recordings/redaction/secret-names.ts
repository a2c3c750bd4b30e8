const HEADERS = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'token',
  'x-api-key',
  'api-key',
  'x-auth-token',
  'x-csrf-token',
];

const MEMBERS = [
  'password',
  'passwd',
  'secret',
  'token',
  'accessToken',
  'refreshToken',
  'apiKey',
  'sdkKey',
  'clientSecret',
  'privateKey',
  'authorization',
];

/** How many answers are remembered: names come from traffic, so there is no end of them. */
const MOST_REMEMBERED = 4096;
const LONGEST_REMEMBERED = 64;

/** Names without regard to letter case, `-` and `_`: `api-key`, `API_KEY` and `apiKey` are one. */
export class SecretNames {
  readonly #names: ReadonlySet<string>;
  readonly #quoted: RegExp;
  readonly #remembered = new Map<string, boolean>();

  constructor(names: Iterable<string>) {
    this.#names = new Set(Array.from(names, bare));
    this.#quoted = quotedPattern(this.#names);
  }

  /**
   * False: no name in double quotes in these bytes, escaped or not, is one of these. It looks at the bytes as they are,
   * at a quarter of what parsing them costs.
   */
  mayBeIn(bytes: Buffer): boolean {
    const text = bytes.toString('latin1');
    return text.includes('\\u') || this.#quoted.test(text);
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

/** What is redacted: names of headers, and names of members of queries, forms and JSON bodies. */
export interface Redaction {
  headers: SecretNames;
  members: SecretNames;
}

/** The names of design section 6, and `extra` ones, which count as both. */
export function redactionOf(extra: readonly string[] = []): Redaction {
  return {
    headers: new SecretNames([...HEADERS, ...extra]),
    members: new SecretNames([...MEMBERS, ...extra]),
  };
}

export const DEFAULT_REDACTION: Redaction = redactionOf();

/** Finds the names in double quotes in text that is read as Latin-1; one with other letters could be anywhere. */
function quotedPattern(names: Iterable<string>): RegExp {
  const patterns: string[] = [];
  for (const name of names) {
    if (!/^[ -~]+$/.test(name)) return /(?:)/;
    const letters = Array.from(name, (char) => {
      // The kelvin sign is a capital k as well: these are its bytes.
      if (char === 'k') return '(?:k|\\xe2\\x84\\xaa)';
      return char.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
    });
    patterns.push(letters.join('[-_]*'));
  }
  return new RegExp(`"[-_]*(?:${patterns.join('|')})[-_]*"`, 'i');
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}
