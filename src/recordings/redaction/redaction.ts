import { LRUCache } from 'lru-cache';
import type { RawHeaders } from '../../http/http.ts';
import type { JsonValue } from '../../json/json.ts';
import { tokensOf } from '../../json/pointer.ts';
import { type PatternNode, patternTree } from '../../json/pointer-pattern.ts';
import { REDACTED } from './redacted.ts';
import { isLikeToken, mayHoldSecret } from './secret-kinds.ts';
import { type Names, SecretNames } from './secret-names.ts';

/** One thing that was hidden. */
export interface FoundSecret {
  /** Why: `the name "token"`, `the pointer /users/0/email`, `the pattern \d{16}`, `a GitHub token`. */
  what: string;
  /** `query/token`, `headers/location`, `path`, `body`, or the JSON Pointer of a place in the body. */
  place: string;
  /** It has no secret name: it looks like a secret. */
  isDetected: boolean;
  /** What stood there, for looking for it elsewhere. Never to be written or shown. */
  value: JsonValue;
}

export type OnFound = (found: FoundSecret) => void;

/** What is a secret by its name. */
export function foundByName(name: string, place: string, value: JsonValue): FoundSecret {
  return { what: `the name "${name}"`, place, isDetected: false, value };
}

/** What is redacted. */
export interface Redaction {
  /** Names of headers. */
  headers: Names;
  /** Names of members of queries, forms and JSON bodies. */
  members: Names;
  /** Places in JSON bodies. */
  pointers: PatternNode | undefined;
  /** Regular expressions, each for all matches in a text. */
  patterns: readonly RegExp[];
  /** Whether a value that looks like a secret is one. */
  detects: boolean;
  /** Texts that are known to be secrets, wherever they stand. */
  texts: readonly string[];
  /** Tokens that messages have named, such as the keys of environments: a later request may have one in its path. */
  given: Set<string>;
  /** False: there is nothing to hide in this text, which may be UTF-8 that is read as Latin-1. */
  mayBeIn(text: string): boolean;
  /** The same of a header's value or a path: these come again and again, so those that hold nothing are remembered. */
  mayBeInRecurring(value: string): boolean;
}

/** As `Config` has them. */
export interface RedactionSettings {
  /** Names beside those that `isSecretName` tells, for headers and members; `!name` is no secret, whatever it says; and JSON Pointers:
   *  `/users/0/email`, with `*` for any one member or item. */
  redact?: readonly string[];
  /** Sources of regular expressions. */
  redactPatterns?: readonly string[];
}

/** Values of headers and paths that are remembered, each of so many characters at most; and tokens. */
const MOST_REMEMBERED = 1000;
const LONGEST_REMEMBERED = 200;
const MOST_GIVEN = 10_000;

export function redactionOf(settings: RedactionSettings = {}): Redaction {
  const { redact = [] } = settings;
  const pointers = redact.filter((one) => one.startsWith('/'));
  const kept = redact.filter((one) => one.startsWith('!')).map((one) => one.slice(1));
  const names = redact.filter((one) => !/^[/!]/.test(one));
  const members = new SecretNames(false, names, kept);
  const patterns = (settings.redactPatterns ?? []).map((source) => new RegExp(source, 'gu'));
  const places = placesPattern(pointers);
  const plainValues = new Set<string>();
  const mayBeIn = (text: string) =>
    members.mayBeIn(text) ||
    mayHoldSecret(text) ||
    (places?.test(text) ?? false) ||
    // What an escape stands for may match.
    (patterns.length > 0 && (text.includes('\\') || patterns.some((pattern) => text.search(pattern) >= 0)));
  return {
    headers: new SecretNames(true, names, kept),
    members,
    pointers: patternTree(pointers),
    patterns,
    detects: true,
    texts: [],
    given: new Set(),
    mayBeIn,
    mayBeInRecurring(value) {
      if (plainValues.has(value)) return false;
      if (mayBeIn(value)) return true;
      if (value.length <= LONGEST_REMEMBERED) addWithin(plainValues, value, MOST_REMEMBERED);
      return false;
    },
  };
}

export const DEFAULT_REDACTION: Redaction = redactionOf();

const NO_NAMES: Names = { has: () => false, mayBeIn: () => false, isTakenBack: () => true };

/** Hides nothing. */
export const NO_REDACTION: Redaction = {
  ...redactionOf(),
  detects: false,
  headers: NO_NAMES,
  members: NO_NAMES,
  mayBeIn: () => false,
  mayBeInRecurring: () => false,
};

/** Remembers what a message has named as a secret, where it could stand in a path. */
export function rememberGiven({ given }: Redaction, { value, isDetected }: FoundSecret): void {
  if (!isDetected && typeof value === 'string' && isLikeToken(value)) addWithin(given, value, MOST_GIVEN);
}

function addWithin(values: Set<string>, value: string, most: number): void {
  if (values.size >= most) values.clear();
  values.add(value);
}

/** The same, and these texts wherever they stand, in all ways in which they may be written. */
export function hidingSecrets(redaction: Redaction, secrets: readonly string[]): Redaction {
  const texts = secrets.flatMap((secret) => partsOf(secret).flatMap(waysToWrite));
  return hidingTexts(redaction, ordered(texts).texts);
}

/** The same, and these texts wherever they stand. */
export function hidingTexts(redaction: Redaction, texts: readonly string[]): Redaction {
  if (texts.length === 0) return redaction;
  const holdsText = (text: string) => texts.some((secret) => text.includes(secret));
  return {
    ...redaction,
    texts: [...redaction.texts, ...texts],
    mayBeIn: (text) => holdsText(text) || redaction.mayBeIn(text),
    mayBeInRecurring: (value) => holdsText(value) || redaction.mayBeInRecurring(value),
  };
}

/** Finds the last name of each pointer in quotes, without which the body has no such place; undefined: no pointers. */
function placesPattern(pointers: readonly string[]): RegExp | undefined {
  if (pointers.length === 0) return undefined;
  const names = pointers.map((pointer) => tokensOf(pointer).findLast((token) => !/^(?:\*|\d+)$/.test(token)));
  // One with other letters than these can be written in many ways.
  if (!names.every((name) => name !== undefined && /^[\w-]+$/.test(name))) return /(?:)/;
  return new RegExp(`"(?:${names.join('|')})\\\\*"|\\\\u`);
}

/** Characters of the shortest known secret: shorter texts stand in many places by chance. */
const SHORTEST = 8;
/** A word stands in many places by chance. */
const WORD = /^\p{L}{1,15}$/u;
/** Each is looked for in all parts of an exchange. */
const MOST_KNOWN = 64;

/** Secrets in all ways in which they may be written. */
interface Written {
  /** Longest first. */
  texts: readonly string[];
  /** Those without which no other stands anywhere. */
  needles: readonly string[];
}

const NONE: Written = { texts: [], needles: [] };

/** The same credentials come with every request. */
const ofHeaders = new LRUCache<string, Written>({ max: 64 });

/** The secrets of one exchange: where one stands again, as in the answer of a server that echoes, it is hidden too. */
export class KnownSecrets {
  #texts: readonly string[] = [];
  /** Undefined: to be made. */
  #written: Written | undefined = NONE;

  get texts(): readonly string[] {
    return this.#together().texts;
  }

  get needles(): readonly string[] {
    return this.#together().needles;
  }

  add(value: JsonValue): void {
    if (typeof value === 'string') {
      if (value !== REDACTED && !WORD.test(value)) this.#add(waysToWrite(value));
    } else if (typeof value === 'number') this.add(String(value));
    else if (typeof value === 'object' && value !== null)
      for (const one of Object.values(value)) this.add(one);
  }

  addHeaders(headers: RawHeaders, { headers: names }: Redaction): void {
    for (let i = 0; i + 1 < headers.length; i += 2) {
      if (names.has(headers[i] as string)) this.addHeader(headers[i + 1] as string);
    }
  }

  /** The value of a secret one. */
  addHeader(value: string): void {
    let written = ofHeaders.get(value);
    if (written === undefined) {
      written = ordered(partsOf(value).flatMap(waysToWrite));
      ofHeaders.set(value, written);
    }
    this.#add(written.texts, written);
  }

  #add(texts: readonly string[], written?: Written): void {
    if (texts.length === 0 || this.#texts.length >= MOST_KNOWN) return;
    const isFirst = this.#texts.length === 0;
    this.#texts = isFirst ? texts : [...new Set([...this.#texts, ...texts])];
    this.#written = isFirst ? written : undefined;
  }

  #together(): Written {
    this.#written ??= ordered(this.#texts);
    return this.#written;
  }
}

function ordered(all: readonly string[]): Written {
  const texts = [...new Set(all)].sort((a, b) => b.length - a.length);
  const isNeedle = (text: string) =>
    !texts.some((other) => other.length < text.length && text.includes(other));
  return { texts, needles: texts.filter(isNeedle) };
}

/** `Bearer abc` also is `abc`; a cookie its value; basic credentials the user's name and password. */
function partsOf(value: string): string[] {
  const parts = [value];
  // What stands behind a cookie that is set says how long, and for which paths.
  const isCookie = /;\s*(?:path|domain|expires|max-age|httponly|secure|samesite)\b/i.test(value);
  const pieces = (isCookie ? value.slice(0, value.indexOf(';')) : value).split(/[\s;,]+/);
  for (const piece of pieces.slice(0, MOST_KNOWN)) {
    const part = piece.replace(/^[^=]*=(?=[^=])/, '').replace(/^"|"$/g, '');
    // A word of a cookie stands elsewhere too.
    if (/\d/.test(part) || part.length >= 2 * SHORTEST) parts.push(part);
  }
  const coded = /^basic +([\w+/=-]+)$/i.exec(value)?.[1];
  if (coded === undefined) return parts;
  const plain = Buffer.from(coded, 'base64').toString();
  return [...parts, coded, plain, plain.slice(plain.indexOf(':') + 1)];
}

/** By itself, in a URL, in JSON, and as the Latin-1 of its bytes. */
function waysToWrite(text: string): string[] {
  if (text.length < SHORTEST || text.includes(REDACTED)) return [];
  if (/^[\w.~-]+$/.test(text)) return [text];
  const coded = encodeURIComponent(text.toWellFormed());
  const json = JSON.stringify(text).slice(1, -1);
  return [text, coded, coded.replaceAll('%20', '+'), json, Buffer.from(text).toString('latin1')];
}
