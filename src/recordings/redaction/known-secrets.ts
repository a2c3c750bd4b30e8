import { LRUCache } from 'lru-cache';
import type { RawHeaders } from '../../http/http.ts';
import type { JsonValue } from '../../json/json.ts';
import { REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';

/** Characters of the shortest one: what is shorter stands in many places by chance. */
const SHORTEST = 8;
/** A word stands in many places by chance. */
const WORD = /^\p{L}{1,15}$/u;
/** Each is looked for in all parts of an exchange. */
const MOST = 64;

interface OfHeader {
  texts: readonly string[];
  needles: readonly string[];
}

/** The same credentials come with every request. */
const ofHeaders = new LRUCache<string, OfHeader>({ max: 64 });

const NONE: readonly string[] = [];

/** The secrets of one exchange: where one stands again, as in the answer of a server that echoes, it is hidden too. */
export class KnownSecrets {
  #texts: Set<string> | undefined;
  /** The header that all of them are of, if they are of one. */
  #only: OfHeader | undefined;

  /** Longest first, in all ways in which they may be written. */
  get texts(): readonly string[] {
    return this.#only?.texts ?? (this.#texts ? longestFirst(this.#texts) : NONE);
  }

  /** Those without which no other stands anywhere. */
  get needles(): readonly string[] {
    return this.#only?.needles ?? (this.#texts ? needlesOf([...this.#texts]) : NONE);
  }

  add(value: JsonValue): void {
    if (typeof value === 'string') {
      if (value !== REDACTED && !WORD.test(value)) this.#addTexts(waysToWrite(value));
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
    let ofHeader = ofHeaders.get(value);
    if (ofHeader === undefined) {
      const texts = longestFirst(new Set(partsOf(value).flatMap(waysToWrite)));
      ofHeader = { texts, needles: needlesOf(texts) };
      ofHeaders.set(value, ofHeader);
    }
    if (this.#texts || this.#only) this.#addTexts(ofHeader.texts);
    else this.#only = ofHeader;
  }

  #addTexts(texts: readonly string[]): void {
    if (texts.length === 0) return;
    this.#texts ??= new Set(this.#only?.texts);
    this.#only = undefined;
    if (this.#texts.size < MOST) for (const text of texts) this.#texts.add(text);
  }
}

function longestFirst(texts: ReadonlySet<string>): readonly string[] {
  return [...texts].sort((a, b) => b.length - a.length);
}

function needlesOf(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => !texts.some((other) => other.length < text.length && text.includes(other)));
}

/** `Bearer abc` also is `abc`; a cookie its value; basic credentials the user's name and password. */
function partsOf(value: string): string[] {
  const parts = [value];
  // What stands behind a cookie that is set says how long, and for which paths.
  const isCookie = /;\s*(?:path|domain|expires|max-age|httponly|secure|samesite)\b/i.test(value);
  const pieces = (isCookie ? value.slice(0, value.indexOf(';')) : value).split(/[\s;,]+/);
  for (const piece of pieces.slice(0, MOST)) {
    const part = piece.replace(/^[^=]*=(?=[^=])/, '').replace(/^"|"$/g, '');
    // A word of a cookie stands elsewhere too.
    if (/\d/.test(part) || part.length >= 2 * SHORTEST) parts.push(part);
  }
  const coded = /^basic +([\w+/=-]+)$/i.exec(value)?.[1];
  if (coded !== undefined) {
    const plain = Buffer.from(coded, 'base64').toString();
    parts.push(coded, plain, plain.slice(plain.indexOf(':') + 1));
  }
  return parts;
}

/** By itself, in a URL, in JSON, and as the Latin-1 of its bytes. */
function waysToWrite(text: string): string[] {
  if (text.length < SHORTEST || text.includes(REDACTED)) return [];
  if (/^[\w.~-]+$/.test(text)) return [text];
  const coded = encodeURIComponent(text.toWellFormed());
  const json = JSON.stringify(text).slice(1, -1);
  return [
    ...new Set([text, coded, coded.replaceAll('%20', '+'), json, Buffer.from(text).toString('latin1')]),
  ];
}
