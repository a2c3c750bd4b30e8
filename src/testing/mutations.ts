import { isObject, type JsonValue } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';

type Path = readonly (string | number)[];

export interface Mutation {
  /** `null at /name` */
  name: string;
  /** JSON Pointer of the place that is another. */
  place: string;
  body: JsonValue;
}

/**
 * A body with other values at each of its places, and without each of its members and items.
 *
 * @param instead for a value, the values that take its place
 * @param most items of a list that are broken
 */
export function* mutations(
  body: JsonValue,
  instead: (value: JsonValue, isBody: boolean) => readonly JsonValue[],
  most = Number.POSITIVE_INFINITY,
  path: Path = [],
  value = body,
): Iterable<Mutation> {
  const place = pointerOf(path);
  if (typeof path.at(-1) === 'string')
    yield { name: `without ${place}`, place, body: edited(body, path, undefined) };
  for (const other of instead(value, path.length === 0))
    yield {
      name: `${JSON.stringify(other)} ${place === '' ? 'as the body' : `at ${place}`}`,
      place,
      body: edited(body, path, other),
    };
  if (typeof value !== 'object' || value === null) return;
  const inner = Array.isArray(value) ? [...value.slice(0, most).entries()] : Object.entries(value);
  for (const [name, one] of inner) yield* mutations(body, instead, most, [...path, name], one);
}

/** A copy with another value at a place, or without the member there. */
function edited(value: JsonValue, [token, ...rest]: Path, instead: JsonValue | undefined): JsonValue {
  if (token === undefined) return instead as JsonValue;
  if (Array.isArray(value))
    return value.with(Number(token), edited(value[Number(token)] as JsonValue, rest, instead));
  if (!isObject(value)) return value;
  const { [token]: inner, ...others } = value;
  if (rest.length === 0 && instead === undefined) return others;
  return { ...value, [token]: edited(inner as JsonValue, rest, instead) };
}
