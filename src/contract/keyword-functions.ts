/** What the code calls that Ajv makes of our keywords: apart from Ajv, since the shipped contract is judged without it. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import { hasHttpScheme, isUrl } from '../http/url.ts';
import { canonical } from '../json/canonical.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/json.ts';

export const formats = {
  // The empty text is left to `http-url`, so that it only warns.
  url: (text: string) => text === '' || isUrl(text),
  // What is no URL at all has its own error already.
  'http-url': (text: string) => text !== '' && (hasHttpScheme(text) || !isUrl(text)),
};

/** To a list that no validator keeps, where there is none: each keeps its own until its next call. */
export function appended(errors: ErrorObject[] | null, further: readonly ErrorObject[]): ErrorObject[] {
  if (errors === null) return further.slice();
  for (const error of further) errors.push(error);
  return errors;
}

/** A field that no schema lists. */
export interface FurtherField {
  field: string;
  /** The listed field that it is but for letter case, `_` or `-`. */
  meant: string | undefined;
}

/** Finds the fields of an object that are not among those listed. @param takesObjects any that hold an object are */
export function furtherFields(
  listed: readonly string[],
  takesObjects: boolean,
): (data: JsonObject) => FurtherField[] {
  const known = new Set(listed);
  const byFold = new Map(listed.map((name) => [fold(name), name]));
  const longest = Math.max(0, ...[...byFold.keys()].map((folded) => folded.length));
  return (data) => {
    const further: FurtherField[] = [];
    for (const field of Object.keys(data)) {
      if (known.has(field)) continue;
      const meant = byFold.get(fold(field, longest));
      if (meant === undefined && takesObjects && isObject(data[field])) continue;
      further.push({ field, meant });
    }
    return further;
  };
}

/** Finds which of these names an object has. */
export function fieldsAmong(names: readonly string[]): (data: JsonObject) => string[] | undefined {
  return (data) => {
    const found = names.filter((name) => Object.hasOwn(data, name));
    return found.length > 0 ? found : undefined;
  };
}

/**
 * Names that differ only in letter case, `_` or `-` are the same word, spelt wrong. So are those that loose readers take
 * for the same: case is folded as Unicode does (Go), a dotless i is an i (Java), and control characters and blanks go (C).
 *
 * @param longest characters that are of interest; of a name with more, only some are given
 */
function fold(name: string, longest = Number.POSITIVE_INFINITY): string {
  let folded = '';
  for (let i = 0; i < name.length && folded.length <= longest; i++) {
    const char = name[i] as string;
    if (char > ' ' && char !== '_' && char !== '-' && char !== '\u0307') folded += char;
  }
  // To capitals first: the long s and the dotless i have no other way to be s and i.
  return folded.toUpperCase().toLowerCase().replaceAll('\u0307', '');
}

/** Whether a value equals one of these. */
export function oneOf(values: readonly JsonValue[]): (value: JsonValue) => boolean {
  const plain = new Set(values.filter((value) => !isNested(value)));
  const texts = new Set(values.filter(isNested).map((value) => canonical(value)));
  return (value) => (isNested(value) ? texts.size > 0 && texts.has(canonical(value)) : plain.has(value));
}

/** Places of the first item that is there a second time, and of that one. */
export function firstRepeated(items: readonly JsonValue[]): [first: number, second: number] | undefined {
  const places = new Map<string, number>();
  for (const [place, item] of items.entries()) {
    const text = canonical(item);
    const first = places.get(text);
    if (first !== undefined) return [first, place];
    places.set(text, place);
  }
  return undefined;
}

function isNested(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}
