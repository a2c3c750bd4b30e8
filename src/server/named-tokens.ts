import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { whyUnreadable } from '../errors.ts';
import { headerValues, type RawHeaders } from '../http/http.ts';
import { type Env, readNamedValue, wrongValue } from '../settings/named-values.ts';

/** Bearer tokens, each of which names the one who sends it. */
export interface NamedTokens {
  /** Undefined where the header `Authorization` carries none of them. */
  nameOf(headers: RawHeaders): string | undefined;
  names: readonly string[];
  /** The tokens: nothing shows or keeps them. */
  secrets: readonly string[];
}

/**
 * @param texts `NAME=TOKEN`, `NAME=env:VARIABLE`, `NAME=file:PATH`; a name may have several tokens
 * @param flag for messages
 * @returns undefined where there are none
 * @throws PatchgateError `bad-usage` where a variable is not set, a file cannot be read, or two have the same
 */
export function readNamedTokens(texts: readonly string[], env: Env, flag: string): NamedTokens | undefined {
  if (texts.length === 0) return undefined;
  const tokens = texts.map((text) => {
    const { name, value } = readNamedValue(text, env, flag);
    return { name, token: value.startsWith('file:') ? contentOf(value.slice(5), name, flag) : value };
  });
  const names = new Map(tokens.map(({ name, token }) => [sha256(token), name]));
  if (names.size < tokens.length)
    throw wrongValue(flag, 'two have the same token', 'give each a token of its own: openssl rand -hex 16');
  return {
    nameOf: (headers) => names.get(sha256(bearerOf(headers) ?? '')),
    names: [...new Set(names.values())],
    secrets: tokens.map(({ token }) => token),
  };
}

function contentOf(file: string, name: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch (error) {
    const message = `the file ${file} with the token of ${name} cannot be read: ${whyUnreadable(error)}`;
    throw wrongValue(flag, message, 'name a file that holds the token and nothing else');
  }
}

/** Undefined where there is none, or more than one. */
export function bearerOf(headers: RawHeaders): string | undefined {
  const [value = '', ...others] = headerValues(headers, 'authorization');
  return others.length > 0 ? undefined : /^Bearer +(.+)$/i.exec(value)?.[1];
}

/** Hashes are compared: neither the token's length nor its beginning can be measured. */
export function isSameToken(given: string | undefined, token: string): boolean {
  return given !== undefined && sha256(given) === sha256(token);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
