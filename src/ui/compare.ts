import { canonical } from '../json/canonical.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../json/json.ts';
import { textOf } from './json-lines.ts';

/** A line of several documents side by side. */
export interface Row {
  depth: number;
  /** The line of each; undefined where it has none there. */
  cells: (string | undefined)[];
  /** The documents do not agree on it. */
  differs: boolean;
}

type Value = JsonValue | undefined;

/**
 * Lays documents out side by side: the same members stand beside each other, and so do items of the same id, wherever they stand in
 * their lists. Undefined: there is no such document.
 */
export function compareDocuments(documents: readonly Value[]): Row[] {
  const rows: Row[] = [];
  const given = documents.map((document) => document !== undefined);
  const differ = (cells: Row['cells']) => {
    const shown = cells.filter((_, i) => given[i]);
    return shown.some((cell) => cell !== shown[0]);
  };
  const push = (depth: number, cells: Row['cells']) => rows.push({ depth, cells, differs: differ(cells) });

  const write = (depth: number, name: string, values: readonly Value[]) => {
    const all = values.filter((value) => value !== undefined);
    const isList = all.every(Array.isArray);
    const isOpen = all.some((value) => sizeOf(value) > 0) && (isList || all.every(isObject));
    if (!isOpen) {
      push(
        depth,
        values.map((value) => (value === undefined ? undefined : name + textOf(value))),
      );
      return;
    }
    const [open, close] = isList ? '[]' : '{}';
    const bracket = (text: string) => values.map((value) => (value === undefined ? undefined : text));
    push(depth, bracket(name + open));
    if (isList)
      for (const items of alignedItems(values as (JsonValue[] | undefined)[])) write(depth + 1, '', items);
    else
      for (const key of namesIn(values))
        write(
          depth + 1,
          `${textOf(key)}: `,
          values.map((value) => member(value, key)),
        );
    push(depth, bracket(close as string));
  };
  write(0, '', documents);
  return rows;
}

function sizeOf(value: JsonValue): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** Those of the first document, then those that only later ones have. */
function namesIn(values: readonly Value[]): Set<string> {
  return new Set(values.flatMap((value) => (isObject(value) ? Object.keys(value) : [])));
}

/** The items that belong together: by their ids, else by what they are; those that are left in their order. */
function alignedItems(lists: readonly (JsonValue[] | undefined)[]): Value[][] {
  const keyOf = lists.every((list) => list === undefined || list.every(hasId))
    ? (item: JsonValue) => canonical((item as JsonObject).id as JsonValue)
    : lists.some((list) => list?.some((item) => typeof item === 'object' && item !== null))
      ? undefined
      : canonical;
  const rows = new Map<string, Value[]>();
  for (const [document, list] of lists.entries()) {
    const seen = new Map<string, number>();
    for (const [index, item] of (list ?? []).entries()) {
      const key = keyOf ? keyOf(item) : String(index);
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      const row = rows.get(`${times} ${key}`) ?? lists.map(() => undefined);
      row[document] = item;
      rows.set(`${times} ${key}`, row);
    }
  }
  return [...rows.values()];
}

function hasId(item: JsonValue): boolean {
  return isObject(item) && Object.hasOwn(item, 'id');
}
