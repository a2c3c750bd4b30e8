import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { whyUnreadable } from '../errors.ts';
import { headerValues, type RawHeaders } from '../http/http.ts';
import { type Env, readNamedValue, wrongValue } from '../settings/named-values.ts';

/** Tokens, each of which names the one who sends it. */
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
 * @throws PatchgateError `bad-usage` where a variable is not set, a file cannot be read, no header can carry a token, or two have
 *   the same
 */
export function readNamedTokens(texts: readonly string[], env: Env, flag: string): NamedTokens | undefined {
  if (texts.length === 0) return undefined;
  const names = new Map<string, string>();
  const secrets: string[] = [];
  for (const text of texts) {
    const { name, value } = readNamedValue(text, env, flag);
    const token = credentialsIn(fileContent(value, name, flag) ?? value);
    if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(token))
      throw wrongValue(
        flag,
        `the token of ${name} holds a character that no header can have`,
        'does it end in a line feed?',
      );
    const hash = sha256(token);
    const other = names.get(hash);
    if (other !== undefined)
      throw wrongValue(
        flag,
        other === name ? `${name} has the same token twice` : `${other} and ${name} have the same token`,
        'give each a token of its own: openssl rand -hex 16',
      );
    names.set(hash, name);
    secrets.push(token);
  }
  return {
    nameOf(headers) {
      const [value, ...others] = headerValues(headers, 'authorization');
      if (value === undefined || others.length > 0) return undefined;
      return names.get(sha256(credentialsIn(value)));
    },
    names: [...new Set(names.values())],
    secrets,
  };
}

/** What the file of `file:PATH` holds, without the line feed at its end; undefined where no file is named. */
function fileContent(value: string, name: string, flag: string): string | undefined {
  const file = /^file:(.+)$/.exec(value)?.[1];
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch (error) {
    const message = `the file ${file} with the token of ${name} cannot be read: ${whyUnreadable(error)}`;
    throw wrongValue(flag, message, 'name a file that holds the token and nothing else');
  }
}

/** `Bearer abc`, `Basic abc`, `abc`: `abc`. */
function credentialsIn(value: string): string {
  return value.replace(/^[\w!#$%&'*+.^`|~-]+ +/, '');
}

/** Hashes are compared: neither a token's length nor its beginning can be measured. */
function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
