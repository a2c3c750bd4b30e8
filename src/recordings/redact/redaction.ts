import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RawHeaders } from '../../http/http.ts';
import type { JsonValue } from '../../json/json.ts';
import { type PatternNode, patternTree } from '../../json/pointer-pattern.ts';
import { SecretNames } from './names.ts';
import { type Hide, REDACTED } from './redacted.ts';

export interface Redaction {
  headers: SecretNames;
  /** Names of members of queries, forms and JSON bodies. */
  members: SecretNames;
  pointers: PatternNode | undefined;
  /** Known secrets, wherever they stand. */
  texts: readonly string[];
  /** Takes each secret that is hidden. */
  onSecret?: ((secret: JsonValue) => void) | undefined;
}

export interface RedactionSettings {
  /** Names beside the usual ones; `!name` keeps what has this name; `/users/0/email` is a place in JSON bodies, with `*` for any one member or item. */
  redact?: readonly string[];
}

export function redactionOf({ redact = [] }: RedactionSettings = {}): Redaction {
  const places = redact.filter((one) => one.startsWith('/'));
  const kept = redact.filter((one) => one.startsWith('!')).map((one) => one.slice(1));
  const added = redact.filter((one) => !/^[/!]/.test(one));
  return {
    headers: new SecretNames('headers', added, kept),
    members: new SecretNames('members', added, kept),
    pointers: patternTree(places),
    texts: [],
  };
}

export const DEFAULT_REDACTION: Redaction = redactionOf();

/** Stands for a value that looks like a secret, in a path or query: two of them stay apart. */
export const hiddenApart: Hide = (secret) => `[redacted:${hash('sha256', secret, 'hex').slice(0, 12)}]`;

/** The same, and these secrets wherever they stand, in all ways to write them. */
export function hidingSecrets(redaction: Redaction, secrets: readonly string[]): Redaction {
  return hidingTexts(redaction, secrets.flatMap(waysToWriteHeader));
}

/** The same, and these texts wherever they stand. */
export function hidingTexts(redaction: Redaction, texts: readonly string[]): Redaction {
  if (texts.length === 0) return redaction;
  const all = [...new Set([...redaction.texts, ...texts])].sort((a, b) => b.length - a.length);
  return { ...redaction, texts: all };
}

/** Characters of the shortest known secret: shorter texts, and words, stand in many places by chance. */
const SHORTEST_KNOWN = 8;
const WORD = /^\p{L}{1,15}$/u;
/** Each is looked for in all parts of an exchange. */
const MOST_KNOWN = 64;

/** The secrets of one exchange: an answer that echoes one hides it too. */
export class KnownSecrets {
  readonly noting: Redaction;
  readonly #texts = new Set<string>();

  constructor(redaction: Redaction, ...messages: readonly RawHeaders[]) {
    const { headers: names, members, pointers, texts } = redaction;
    const onSecret = (secret: JsonValue) => this.#addValue(secret);
    // Written out: each exchange has one, and an object that is spread first takes 1.4 µs.
    this.noting = { headers: names, members, pointers, texts, onSecret };
    for (const headers of messages)
      for (let i = 0; i + 1 < headers.length; i += 2)
        if (names.has(headers[i] as string)) this.#add(ofHeaders.memo(headers[i + 1] as string));
  }

  get texts(): readonly string[] {
    return [...this.#texts];
  }

  /** Without recursion: it may be nested deep. */
  #addValue(secret: JsonValue): void {
    const left = [secret];
    while (left.length > 0 && this.#texts.size < MOST_KNOWN) {
      const value = left.pop() as JsonValue;
      if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) left.push(one);
      else if (typeof value !== 'boolean' && !WORD.test(String(value))) this.#add(waysToWrite(String(value)));
    }
  }

  #add(texts: readonly string[]): void {
    for (const text of texts) if (this.#texts.size < MOST_KNOWN) this.#texts.add(text);
  }
}

/** The same credentials come with every request. */
const ofHeaders = new LRUCache<string, readonly string[]>({ max: 64, memoMethod: waysToWriteHeader });

/** `Bearer abc` also is `abc`; a cookie its value; basic credentials the user's name and password. */
function waysToWriteHeader(value: string): readonly string[] {
  // Behind a cookie that is set, its age and paths follow.
  const isCookie = /;\s*(?:path|domain|expires|max-age|httponly|secure|samesite)\b/i.test(value);
  const pieces = (isCookie ? value.slice(0, value.indexOf(';')) : value).split(/[\s;,]+/, MOST_KNOWN);
  const parts = pieces.map((piece) => piece.replace(/^[^=]*=(?=[^=])/, '').replace(/^"|"$/g, ''));
  // A word of a cookie stands elsewhere too.
  const telling = parts.filter((part) => /\d/.test(part) || part.length >= 2 * SHORTEST_KNOWN);
  const plain = Buffer.from(/^basic +([\w+/=-]+)$/i.exec(value)?.[1] ?? '', 'base64').toString();
  return [value, ...telling, plain, plain.slice(plain.indexOf(':') + 1)].flatMap(waysToWrite);
}

/** Plain, in a URL, in JSON, and as the Latin-1 of its bytes. */
function waysToWrite(text: string): string[] {
  if (text.length < SHORTEST_KNOWN || text.includes(REDACTED) || REDACTED.includes(text)) return [];
  if (/^[\w.~-]+$/.test(text)) return [text];
  const coded = encodeURIComponent(text.toWellFormed());
  const json = JSON.stringify(text).slice(1, -1);
  return [text, coded, coded.replaceAll('%20', '+'), json, Buffer.from(text).toString('latin1')];
}
