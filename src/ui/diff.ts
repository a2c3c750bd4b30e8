import { isObject, type JsonValue, member } from '../json/json.ts';
import { jsonLines, nameIn } from './json-lines.ts';

/** A row of two documents side by side. If one side is absent, the line was removed or added; if both differ, it was changed. */
export interface DiffRow {
  left?: string | undefined;
  right?: string | undefined;
  isSame: boolean;
}

/** Documents with more pairs of lines are shown as all changed. */
const MOST_PAIRS = 16_000_000;

/** Compares two documents line by line, as `diff` does. Neither the order of members nor a comma counts. */
export function diffJson(before: JsonValue, after: JsonValue): DiffRow[] {
  const [left, right] = [jsonLines(inOrderOf(after, before)), jsonLines(after)];
  const [height, width] = [left.length, right.length];
  if (height * width > MOST_PAIRS) return beside(left, right);
  const [keys, others] = [keysOf(left), keysOf(right)];
  // Length of the longest common run of lines behind each pair.
  const common = new Uint16Array((height + 1) * (width + 1));
  const at = (i: number, j: number) => common[i * (width + 1) + j] as number;
  for (let i = height - 1; i >= 0; i--)
    for (let j = width - 1; j >= 0; j--)
      common[i * (width + 1) + j] =
        keys[i] === others[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const rows: DiffRow[] = [];
  let [i, j, fromI, fromJ] = [0, 0, 0, 0];
  const flush = () => {
    rows.push(...beside(left.slice(fromI, i), right.slice(fromJ, j)));
  };
  while (i < height && j < width) {
    if (keys[i] === others[j]) {
      flush();
      rows.push({ left: left[i++], right: right[j++], isSame: true });
      [fromI, fromJ] = [i, j];
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  [i, j] = [height, width];
  flush();
  return rows;
}

/** A line with the lines that it stands in: a bracket alone says too little. Its id tells an item. */
function keysOf(lines: readonly string[]): string[] {
  const above = [''];
  return lines.map((line, i) => {
    const text = line.replace(/,$/, '');
    if (/^ *[}\]]$/.test(text)) return above.pop() + text;
    const id = text.endsWith('{') ? /^ *"id": .*/.exec(lines[i + 1] as string) : null;
    const key = `${above.at(-1)}\n${text}${id?.[0] ?? ''}`;
    if (/[{[]$/.test(text)) above.push(key);
    return key;
  });
}

/** A removed and an added line of the same name share a row. */
function beside(removed: readonly string[], added: readonly string[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let j = 0;
  for (const left of removed) {
    const found = added.findIndex((right, i) => i >= j && nameIn(right) === nameIn(left));
    while (j < found) rows.push({ right: added[j++], isSame: false });
    rows.push({ left, right: found < 0 ? undefined : added[j++], isSame: false });
  }
  return [...rows, ...added.slice(j).map((right) => ({ right, isSame: false }))];
}

/** A document with its members in the order of another one; its own further members stand behind them. */
function inOrderOf(model: JsonValue | undefined, value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const others = Array.isArray(model) ? model : [];
    const sameId = (item: JsonValue) => others.find((one) => member(one, 'id') === member(item, 'id'));
    return value.map((item, i) => inOrderOf(isObject(item) ? sameId(item) : others[i], item));
  }
  if (!isObject(value)) return value;
  const names = new Set([...Object.keys(isObject(model) ? model : {}), ...Object.keys(value)]);
  const own = [...names].filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(
    own.map((name) => [name, inOrderOf(member(model, name), value[name] as JsonValue)]),
  );
}

const CONTEXT = 3;

/** Parts the rows into those near a difference, and long runs of others, which are folded. */
export function hunksOf(rows: readonly DiffRow[]): { isFolded: boolean; rows: DiffRow[] }[] {
  const isNear = rows.map(() => false);
  for (const [i, { isSame }] of rows.entries())
    if (!isSame) isNear.fill(true, Math.max(0, i - CONTEXT), i + CONTEXT + 1);
  const hunks: { isFolded: boolean; rows: DiffRow[] }[] = [];
  for (const [i, row] of rows.entries()) {
    const last = hunks.at(-1);
    if (last?.isFolded === !isNear[i]) last.rows.push(row);
    else hunks.push({ isFolded: !isNear[i], rows: [row] });
  }
  return hunks;
}
