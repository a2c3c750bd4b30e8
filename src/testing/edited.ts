import { isObject, type JsonValue } from '../json/json.ts';

export type Path = readonly (string | number)[];

/** A copy with another value at a place, or without it. What is not on the way there is the same. */
export function edited(value: JsonValue, [token, ...rest]: Path, instead: JsonValue | undefined): JsonValue {
  if (token === undefined) return instead as JsonValue;
  const isLeftOut = rest.length === 0 && instead === undefined;
  if (Array.isArray(value) && isLeftOut) return value.toSpliced(Number(token), 1);
  if (Array.isArray(value))
    return value.with(Number(token), edited(value[Number(token)] as JsonValue, rest, instead));
  if (!isObject(value)) return value;
  const copy = { ...value };
  if (isLeftOut) delete copy[token];
  else copy[token] = edited(copy[token] as JsonValue, rest, instead);
  return copy;
}
