import { LRUCache } from 'lru-cache';
import type { RawHeaders } from '../../http/http.ts';
import type { JsonValue } from '../../json/json.ts';
import { tokensOf } from '../../json/pointer.ts';
import { type PatternNode, patternTree } from '../../json/pointer-pattern.ts';
import { SecretNames } from './names.ts';
import { REDACTED } from './redacted.ts';
import { isLikeToken } from './shapes.ts';

/** One thing that was hidden. */
export interface FoundSecret {
  /** Why: `the name "token"`, `the pointer /users/0/email`, `the pattern \d{16}`, `a JSON Web Token`. */
  what: string;
  /** `query/token`, `headers/location`, `path`, `body`, or the JSON Pointer of a place in the body. */
  place: string;
  /** Its looks alone make it a secret. */
  isDetected: boolean;
  /** The secret, for looking for it elsewhere. Never to be written or shown. */
  value: JsonValue;
}

export type OnFound = (found: FoundSecret) => void;

export function foundByName(name: string, place: string, value: JsonValue): FoundSecret {
  return { what: `the name "${name}"`, place, isDetected: false, value };
}

/** What is redacted. */
export interface Redaction {
  /** It is made from these, and `texts`. */
  settings: RedactionSettings;
  /** Names of headers. */
  headers: SecretNames;
  /** Names of members of queries, forms and JSON bodies. */
  members: SecretNames;
  /** The same, and the last names of the places: a text that holds broken JSON has no places. */
  membersInText: SecretNames;
  /** Places in JSON bodies. */
  pointers: PatternNode | undefined;
  /** Regular expressions, each for all matches in a text. */
  patterns: readonly RegExp[];
  /** Whether a value that looks like a secret is one. */
  detects: boolean;
  /** Known secrets, wherever they stand. */
  texts: readonly string[];
  /** Tokens that messages have named, such as the keys of environments: a later path may have one. */
  given: Set<string>;
  /** Header values and paths without a secret: they come again and again. */
  plain: Set<string>;
}

export interface RedactionSettings {
  /** Names beside the usual ones; `!name` keeps what has this name; `/users/0/email` is a place in JSON bodies, with `*` for any one member or item. */
  redact?: readonly string[];
  /** Sources of regular expressions. */
  redactPatterns?: readonly string[];
}

const MOST_PLAIN = 1000;
const LONGEST_PLAIN = 200;
const MOST_GIVEN = 10_000;

export function redactionOf({ redact = [], redactPatterns = [] }: RedactionSettings = {}): Redaction {
  const places = redact.filter((one) => one.startsWith('/'));
  const kept = redact.filter((one) => one.startsWith('!')).map((one) => one.slice(1));
  const added = redact.filter((one) => !/^[/!]/.test(one));
  const lastNames = places.flatMap(
    (place) => tokensOf(place).findLast((token) => !/^(?:\*|\d+)$/.test(token)) ?? [],
  );
  const members = new SecretNames(false, added, kept);
  return {
    settings: { redact, redactPatterns },
    headers: new SecretNames(true, added, kept),
    members,
    membersInText: lastNames.length === 0 ? members : new SecretNames(false, [...added, ...lastNames], kept),
    pointers: patternTree(places),
    patterns: redactPatterns.map((source) => new RegExp(source, 'gu')),
    detects: true,
    texts: [],
    given: new Set(),
    plain: new Set(),
  };
}

export const DEFAULT_REDACTION: Redaction = redactionOf();

class NoNames extends SecretNames {
  override has(): boolean {
    return false;
  }
  override mayHave(): boolean {
    return false;
  }
}

/** Hides nothing. */
export const NO_REDACTION: Redaction = {
  ...redactionOf(),
  headers: new NoNames(true),
  members: new NoNames(false),
  membersInText: new NoNames(false),
  detects: false,
};

/** Remembers a value without a secret. */
export function rememberPlain({ plain }: Redaction, value: string): void {
  if (value.length <= LONGEST_PLAIN) addWithin(plain, value, MOST_PLAIN);
}

/** Remembers a secret that a message has named, if it could stand in a path. */
export function rememberGiven({ given }: Redaction, { value, isDetected }: FoundSecret): void {
  if (!isDetected && typeof value === 'string' && isLikeToken(value)) addWithin(given, value, MOST_GIVEN);
}

function addWithin(values: Set<string>, value: string, most: number): void {
  if (values.size >= most) values.clear();
  values.add(value);
}

/** The same, and these secrets wherever they stand, in all ways to write them. */
export function hidingSecrets(redaction: Redaction, secrets: readonly string[]): Redaction {
  return hidingTexts(
    redaction,
    secrets.flatMap((secret) => partsOf(secret).flatMap(waysToWrite)),
  );
}

/** The same, and these texts wherever they stand. */
export function hidingTexts(redaction: Redaction, texts: readonly string[]): Redaction {
  if (texts.length === 0) return redaction;
  const all = [...new Set([...redaction.texts, ...texts])].sort((a, b) => b.length - a.length);
  return { ...redaction, texts: all, plain: new Set() };
}

/** Characters of the shortest known secret: shorter texts stand in many places by chance. */
const SHORTEST = 8;
/** A word stands in many places by chance. */
const WORD = /^\p{L}{1,15}$/u;
/** Each is looked for in all parts of an exchange. */
const MOST_KNOWN = 64;

/** The same credentials come with every request. */
const ofHeaders = new LRUCache<string, readonly string[]>({ max: 64 });

/** The secrets of one exchange: an answer that echoes one hides it too. */
export class KnownSecrets {
  readonly #texts = new Set<string>();

  get texts(): readonly string[] {
    return [...this.#texts];
  }

  add(value: JsonValue): void {
    if (typeof value === 'string') {
      if (value !== REDACTED && !WORD.test(value)) this.#add(waysToWrite(value));
    } else if (typeof value === 'number') this.add(String(value));
    else if (typeof value === 'object' && value !== null)
      for (const one of Object.values(value)) this.add(one);
  }

  addHeaders(headers: RawHeaders, { headers: names }: Redaction): void {
    for (let i = 0; i + 1 < headers.length; i += 2)
      if (names.has(headers[i] as string)) this.addHeader(headers[i + 1] as string);
  }

  addHeader(value: string): void {
    let texts = ofHeaders.get(value);
    if (texts === undefined) {
      texts = partsOf(value).flatMap(waysToWrite);
      ofHeaders.set(value, texts);
    }
    this.#add(texts);
  }

  #add(texts: readonly string[]): void {
    for (const text of texts) if (this.#texts.size < MOST_KNOWN) this.#texts.add(text);
  }
}

/** `Bearer abc` also is `abc`; a cookie its value; basic credentials the user's name and password. */
function partsOf(value: string): string[] {
  const parts = [value];
  // Behind a cookie that is set, its age and paths follow.
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

/** Plain, in a URL, in JSON, and as the Latin-1 of its bytes. */
function waysToWrite(text: string): string[] {
  if (text.length < SHORTEST || text.includes(REDACTED)) return [];
  if (/^[\w.~-]+$/.test(text)) return [text];
  const coded = encodeURIComponent(text.toWellFormed());
  const json = JSON.stringify(text).slice(1, -1);
  return [text, coded, coded.replaceAll('%20', '+'), json, Buffer.from(text).toString('latin1')];
}
