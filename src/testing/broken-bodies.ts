import type { JsonValue } from '../model/json.ts';
import { pointerOf } from '../model/pointer.ts';

export interface BrokenBody {
  body: JsonValue;
  /** `null at /environments/0`, `without /name` */
  what: string;
}

const INSTEAD: readonly JsonValue[] = [null, 7, 'x', [], [null], {}];
/** Places of a body that are broken; each takes a copy of the whole. */
const MOST_PLACES = 500;

/** A body with each of its values replaced by something that its schema would not take, and left out. */
export function* brokenBodies(body: JsonValue): Iterable<BrokenBody> {
  let left = MOST_PLACES;
  for (const path of placesIn(body, [])) {
    if (left-- === 0) return;
    const place = pointerOf(path);
    for (const value of INSTEAD) {
      const what = `${JSON.stringify(value)} ${place === '' ? 'as the body' : `at ${place}`}`;
      yield { body: replaced(body, path, value), what };
    }
    if (path.length > 0) yield { body: replaced(body, path, undefined), what: `without ${place}` };
  }
}

type Path = readonly (string | number)[];

function* placesIn(value: JsonValue, path: Path): Iterable<Path> {
  yield path;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* placesIn(item, [...path, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) yield* placesIn(item, [...path, name]);
}

/** @param instead undefined: it goes */
function replaced(value: JsonValue, [token, ...rest]: Path, instead: JsonValue | undefined): JsonValue {
  if (token === undefined) return instead as JsonValue;
  const isHere = (name: string | number) => String(name) === String(token);
  if (Array.isArray(value))
    return value.flatMap((item, index) => {
      if (!isHere(index)) return [item];
      return rest.length === 0 && instead === undefined ? [] : [replaced(item, rest, instead)];
    });
  return Object.fromEntries(
    Object.entries(value as Record<string, JsonValue>).flatMap(([name, item]): [string, JsonValue][] => {
      if (!isHere(name)) return [[name, item]];
      return rest.length === 0 && instead === undefined ? [] : [[name, replaced(item, rest, instead)]];
    }),
  );
}
