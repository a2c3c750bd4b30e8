import type { JsonValue } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';
import { edited, type Path } from './edited.ts';

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
      yield { body: edited(body, path, value), what };
    }
    if (path.length > 0) yield { body: edited(body, path, undefined), what: `without ${place}` };
  }
}

function* placesIn(value: JsonValue, path: Path): Iterable<Path> {
  yield path;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* placesIn(item, [...path, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) yield* placesIn(item, [...path, name]);
}
