import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RawHeaders } from '../../http/http.ts';
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
}

/** @param redact names beside the usual ones; `!name` keeps what has this name; `/users/0/email` is a place in JSON bodies, with `*` for any one member or item */
export function redactionOf({ redact = [] }: { redact?: readonly string[] } = {}): Redaction {
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
  return { ...redaction, texts: longestFirst([...redaction.texts, ...texts]) };
}

function longestFirst(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort((a, b) => b.length - a.length);
}

/** The same, and the secrets in the headers of messages wherever they stand: an answer may echo them. */
export function hidingEchoes(redaction: Redaction, ...messages: RawHeaders[]): Redaction {
  const found: (readonly string[])[] = [];
  for (const headers of messages)
    for (let i = 0; i + 1 < headers.length; i += 2)
      if (redaction.headers.has(headers[i] as string)) found.push(ofHeaders.memo(headers[i + 1] as string));
  // The texts of one header are sorted already.
  if (found.length === 1 && redaction.texts.length === 0) return { ...redaction, texts: found[0] ?? [] };
  return hidingTexts(redaction, found.flat().slice(0, 4 * MOST_KNOWN));
}

/** Characters of the shortest known secret: shorter texts stand in many places by chance. */
const SHORTEST_KNOWN = 8;
/** Texts that are known of one header, and a quarter of those of all headers: an exchange is searched for each. */
const MOST_KNOWN = 64;
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
  const coded = /^basic +([\w+/=-]+)$/i.exec(value)?.[1] ?? '';
  const plain = Buffer.from(coded, 'base64').toString();
  const all = [value, ...telling, coded, plain, plain.slice(plain.indexOf(':') + 1)];
  return longestFirst(all.flatMap(waysToWrite).slice(0, MOST_KNOWN));
}

/** Plain, in a URL, in JSON, and as the Latin-1 of its bytes. */
function waysToWrite(text: string): string[] {
  if (text.length < SHORTEST_KNOWN || text.includes(REDACTED) || REDACTED.includes(text)) return [];
  if (/^[\w.~-]+$/.test(text)) return [text];
  const coded = encodeURIComponent(text.toWellFormed());
  const json = JSON.stringify(text).slice(1, -1);
  return [text, coded, coded.replaceAll('%20', '+'), json, Buffer.from(text).toString('latin1')];
}
