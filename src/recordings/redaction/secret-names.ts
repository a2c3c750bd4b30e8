import { isSecretName, lastOf, type Names } from './secret-name.ts';
import { PARAMETER_HERE } from './secret-parameter.ts';

/**
 * What each of these names has in it. A few letters in each, since a pattern of three is ten times as fast as one of ten,
 * and these run on every body.
 */
const ROOTS = [
  /token|[a-z\d\-_. ](?:key|code)/gi,
  /pass|secre|creden|verif/gi,
  /srf|jwt|pwd|otp|signa/gi,
  /authori|sess(?:ion)?[-_. ]?id|set[-_. ]?cookie/gi,
];
/** For short texts one call counts more than its pattern. */
const ANY_ROOT = new RegExp(`${ROOTS.map(({ source }) => source).join('|')}|[?&]|\\\\u`, 'i');
const SHORT = 200;

/** What stands behind a name that has a value: a quote, `=`, `:`, or the end of a tag; all of these may be escaped. */
const BEHIND = '[-_ ]*(?:\\\\*["\']|(?:[[\\]\\d]|%(?:25)*5[BD])*\\s{0,8}(?:[:=>]|%(?:25)*3D))';
const BEHIND_HERE = new RegExp(BEHIND, 'iy');

/** How many answers are remembered: names come from traffic, so there is no end of them. */
const MOST_REMEMBERED = 4096;
const LONGEST_REMEMBERED = 64;

/** The names of secrets, with those that the user adds and takes back: these count as a whole, however they are written. */
export class SecretNames implements Names {
  readonly #isHeader: boolean;
  readonly #added: ReadonlySet<string>;
  readonly #takenBack: ReadonlySet<string>;
  readonly #addedWritten: RegExp | undefined;
  readonly #remembered = new Map<string, boolean>();

  constructor(isHeader: boolean, added: readonly string[] = [], takenBack: readonly string[] = []) {
    this.#isHeader = isHeader;
    this.#added = new Set(added.map(bare));
    this.#takenBack = new Set(takenBack.map(bare));
    this.#addedWritten = writtenOf([...this.#added]);
  }

  /**
   * False: no name in quotes, before a `=` or `:` or at the end of a tag in this text, escaped or not, is one of these. The
   * text may be UTF-8 that is read as Latin-1, so that bytes can be looked at as they are, at a quarter of what parsing
   * them costs.
   */
  mayBeIn(text: string): boolean {
    if (this.#addedWritten?.test(text)) return true;
    if (text.length < SHORT && !ANY_ROOT.test(text)) return false;
    if (text.includes('\\u')) return true;
    for (const root of ROOTS) {
      root.lastIndex = 0;
      while (root.test(text)) {
        // Of a name with two of them, the last one counts.
        const end = wordEnd(text, root.lastIndex - 1);
        BEHIND_HERE.lastIndex = end;
        if (BEHIND_HERE.test(text) && this.has(nameBefore(text, end))) return true;
        root.lastIndex = Math.max(end, root.lastIndex);
      }
    }
    for (const sign of ['?', '&']) {
      for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) {
        PARAMETER_HERE.lastIndex = at + 1;
        if (PARAMETER_HERE.test(text)) return true;
      }
    }
    return false;
  }

  /** Asked for every member of every body that is recorded, hence the memory. */
  has(name: string): boolean {
    const remembered = this.#remembered.get(name);
    if (remembered !== undefined) return remembered;
    const ways = [bare(name), bare(lastOf(name))];
    const secret =
      ways.some((way) => this.#added.has(way)) ||
      (!ways.some((way) => this.#takenBack.has(way)) && isSecretName(name, this.#isHeader));
    if (name.length <= LONGEST_REMEMBERED) {
      if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(name, secret);
    }
    return secret;
  }

  isTakenBack(name: string): boolean {
    return this.#takenBack.has(bare(name));
  }
}

/** Finds these names in a text, in any way to write them. What cannot be looked for could be anywhere. */
function writtenOf(names: readonly string[]): RegExp | undefined {
  if (names.length === 0) return undefined;
  if (!names.every((name) => /^[ -~]+$/.test(name))) return /(?:)/;
  const spelt = names.map((name) =>
    Array.from(name, (char) => char.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')).join('[-_ ]{0,3}'),
  );
  return new RegExp(`(?:${spelt.join('|')})${BEHIND}`, 'i');
}

/** Characters of a name that are looked at. */
const LONGEST_NAME = 64;

function wordEnd(text: string, from: number): number {
  let end = from;
  while (isInName(text.charCodeAt(end))) end++;
  return end;
}

/** With one word before it: `api key`. */
function nameBefore(text: string, end: number): string {
  const least = Math.max(0, end - LONGEST_NAME);
  let start = end;
  let spaces = 0;
  while (start > least) {
    const char = text.charCodeAt(start - 1);
    if (char === 0x20 && ++spaces > 1) break;
    if (char !== 0x20 && !isInName(char)) break;
    start--;
  }
  const name = text.slice(start, end);
  // The end of an escape is no part of it: `%5B`, `\n`.
  const before = text[start - 1];
  return before === '%' ? name.replace(/^(?:25)*[\da-f]{2}/i, '') : before === '\\' ? name.slice(1) : name;
}

/** Letters, digits, `_`, `-` and `.`; ASCII alone. */
function isInName(char: number): boolean {
  return (
    (char >= 97 && char <= 122) ||
    (char >= 65 && char <= 90) ||
    (char >= 48 && char <= 57) ||
    char === 95 ||
    char === 45 ||
    char === 46
  );
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}
