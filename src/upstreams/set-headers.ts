import { HOP_BY_HOP } from '../http/http.ts';
import { type Env, namedValue, readNamedValue, wrongValue } from '../settings/named-values.ts';

/** Headers that each request to the target has, whatever the client sent. */
export interface SetHeaders {
  /** Those that the client's are replaced by or left out for, in lower case. */
  names: ReadonlySet<string>;
  /** Name, value, name, value, … */
  added: readonly string[];
}

const FLAG = '--set-header';

/** What the gate makes itself, and what says where a body ends. */
const OWN = /^(?:host|expect|content-(?:length|encoding|type)|patchgate-.*)$/;

/**
 * @param texts `NAME=VALUE`, `NAME=env:VARIABLE`; `NAME=`: it is left out
 * @returns undefined where there are none
 * @throws PatchgateError `bad-usage` where a header is the gate's own, or a variable is not set
 */
export function readSetHeaders(texts: readonly string[], env: Env): SetHeaders | undefined {
  if (texts.length === 0) return undefined;
  const names = new Set<string>();
  const added: string[] = [];
  for (const text of texts) {
    const { name, value } = readNamedValue(text, env, FLAG);
    const lowerCase = name.toLowerCase();
    if (HOP_BY_HOP.has(lowerCase) || OWN.test(lowerCase))
      throw wrongValue(FLAG, `the header ${name} cannot be set`, 'the gate makes it of the request itself');
    names.add(lowerCase);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw wrongValue(
        FLAG,
        `the value of ${name} holds a character that no header can have`,
        'does it end in a line feed?',
      );
    if (value) added.push(name, value);
  }
  return { names, added };
}

/** Values that come from the environment: nothing shows or keeps them. */
export function secretsOf(texts: readonly string[], env: Env): string[] {
  return texts
    .map((text) => namedValue(text, env))
    .flatMap(({ value, variable }) => (variable !== undefined && value ? [value] : []));
}
