/** What Ajv calls for our keywords and formats: apart from Ajv, since the shipped contract is judged without it. */
import stringify from 'safe-stable-stringify';
import { hasHttpScheme, isUrl } from '../http/url.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/json.ts';

export const formats = {
  // The empty text is left to `http-url`, so that it only warns.
  url: (text: string) => text === '' || isUrl(text),
  // Another keyword finds texts that are no URL.
  'http-url': (text: string) => text !== '' && (hasHttpScheme(text) || !isUrl(text)),
};

/** A field that no schema lists, and the listed one that it is but for letter case, `_` or `-`. */
export interface FurtherField {
  field: string;
  meant: string | undefined;
}

/** Ajv's own comparison of whole values calls `valueOf` if a body has it, and holds each item of a list against each other one. */
export const keywords = {
  furtherFields,
  readOnlyFields: (names: readonly string[]) => (data: JsonObject) => {
    const found = names.filter((name) => Object.hasOwn(data, name));
    return found.length > 0 ? { found } : undefined;
  },
  const: (value: JsonValue) => failUnlessAmong([value]),
  enum: failUnlessAmong,
  uniqueItems: (isWanted: boolean) => (items: readonly JsonValue[]) => {
    const places = new Map<string, number>();
    for (const [j, item] of isWanted ? items.entries() : []) {
      const text = stringify(item);
      const i = places.get(text);
      if (i !== undefined) return { i, j };
      places.set(text, j);
    }
    return undefined;
  },
};

/** @param takes `objects`: any field that holds an object is taken */
function furtherFields(takes: 'none' | 'objects', listed: readonly string[]) {
  const known = new Set(listed);
  const byFold = new Map(listed.map((name) => [fold(name), name]));
  return (data: JsonObject) => {
    let fields: FurtherField[] | undefined;
    for (const field of Object.keys(data)) {
      if (known.has(field)) continue;
      const meant = byFold.get(fold(field));
      if (meant === undefined && takes === 'objects' && isObject(data[field])) continue;
      fields ??= [];
      fields.push({ field, meant });
    }
    return fields && { fields };
  };
}

/** One form for names that loose readers take for the same: case as in Unicode (Go), a dotless i (Java), control characters (C). */
function fold(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it removes these
  const letters = name.replace(/[-_\u0000-\u001f]/g, '');
  // To capitals first: the long s and the dotless i have no other way to be s and i.
  return letters.toUpperCase().toLowerCase().replaceAll('\u0307', '');
}

function failUnlessAmong(values: readonly JsonValue[]) {
  const isNested = (value: JsonValue) => typeof value === 'object' && value !== null;
  const plain = new Set(values.filter((value) => !isNested(value)));
  const texts = new Set(values.filter(isNested).map((value) => stringify(value)));
  return (value: JsonValue) => {
    const isAmong = isNested(value) ? texts.size > 0 && texts.has(stringify(value)) : plain.has(value);
    return isAmong ? undefined : {};
  };
}
