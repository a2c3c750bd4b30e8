import { isObject, type JsonObject, type JsonValue, listAt, member } from '../../json/json.ts';

/** What a body is made to fit. */
export interface Aim {
  /** Id of the record in the path. */
  id: string;
  /** The whole record before the request. */
  known: JsonObject | undefined;
  /** One of so many, from 0; the same body makes the same choices. */
  choose(count: number): number;
}

/** How a body that its schema takes is made to satisfy a rule. */
export interface Fitting {
  /** What the schema has to say besides. */
  schema?: JsonObject;
  /** Changes the body, which nobody else holds. */
  apply?(body: JsonObject, aim: Aim): void;
}

/** The objects of a list. */
export function objectsAt(value: JsonValue | undefined, name: string): JsonObject[] {
  return listAt(value, name).filter(isObject);
}

/** Gives each item of a list whose id an earlier one has the next id that none has. */
export function withOwnIds(body: JsonObject, list: string): void {
  const items = objectsAt(body, list);
  const all = new Set(items.map(({ id }) => id));
  const used = new Set<JsonValue>();
  let next = 1;
  for (const item of items) {
    const { id } = item;
    if (typeof id !== 'number') continue;
    if (used.has(id)) {
      while (all.has(next)) next++;
      item.id = next;
      all.add(next);
    }
    used.add(item.id as JsonValue);
  }
}

/** A value of a dataType made of any other, the plainest of the plainest. */
export function ofDataType(value: JsonValue, type: JsonValue | undefined): JsonValue {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
    case 'integer':
    case 'int':
      return integerOf(value);
    case 'float':
      return typeof value === 'number' ? value : integerOf(value);
    case 'boolean':
      return value === true || integerOf(value) > 0;
    case 'json':
      if (typeof value !== 'object') return { value };
      return Array.isArray(value) ? { list: value } : (value ?? {});
    default:
      return value;
  }
}

function integerOf(value: JsonValue): number {
  if (typeof value === 'number') return Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) + 0 : 0;
  if (typeof value === 'boolean') return Number(value);
  return value === null ? 0 : Object.keys(value).length;
}

/** Whole shares that sum to 100, in proportion to what was given. */
export function sharesOf(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + Math.abs(weight), 0);
  const shares = weights.map((weight) => (total === 0 ? 0 : Math.floor((Math.abs(weight) / total) * 100)));
  const rest = 100 - shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share, index) => (index === 0 ? share + rest : share));
}

/** The items of a stored list that a sent one lacks, by what tells them apart. */
export function missingFrom(
  sent: readonly JsonValue[],
  stored: readonly JsonValue[],
  keyOf: (item: JsonValue) => JsonValue | undefined,
): JsonValue[] {
  const has = new Set(sent.map(keyOf));
  return stored.filter((item) => keyOf(item) !== undefined && !has.has(keyOf(item)));
}

export const idOf = (item: JsonValue) => member(item, 'id');
