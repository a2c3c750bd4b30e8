import { isObject, type JsonValue } from '../json/json.ts';
import { escapeToken, tokensOf } from '../json/pointer.ts';
import { printable } from '../server/printable.ts';

/** A line of a formatted JSON document. */
interface Line {
  /** Of the value that stands on it, begins on it or ends on it. */
  pointer: string;
  /** Levels of indentation. */
  depth: number;
  /** `"name": `, or empty. */
  name: string;
  /** The value, or a bracket, with the comma behind it. */
  value: string;
  /** It ends a value that began on a line above. */
  isEnd?: true;
}

/** Formats a value, each line with its place. */
export function jsonLines(value: JsonValue): Line[] {
  const lines: Line[] = [];
  const write = (value: JsonValue, pointer: string, depth: number, name: string, comma: string) => {
    const isList = Array.isArray(value);
    const members = isList || isObject(value) ? Object.entries(value) : [];
    if (members.length === 0) {
      lines.push({ pointer, depth, name, value: textOf(value) + comma });
      return;
    }
    const [open, close] = isList ? '[]' : '{}';
    lines.push({ pointer, depth, name, value: open as string });
    for (const [i, [token, item]] of members.entries()) {
      const below = `${pointer}/${escapeToken(token)}`;
      const comma = i === members.length - 1 ? '' : ',';
      write(item, below, depth + 1, isList ? '' : `${textOf(token)}: `, comma);
    }
    lines.push({ pointer, depth, name: '', value: close + comma, isEnd: true });
  };
  write(value, '', 0, '', '');
  return lines;
}

/** As JSON in one line. What would hide itself, or turn the text around, is escaped. */
export function textOf(value: JsonValue): string {
  return printable(JSON.stringify(value));
}

/** Where a pointer leads among the lines. */
export interface PlaceInLines {
  /** The mark stands below this line. */
  line: number;
  /** The rest of the pointer, where there is no such place: what is missing behind that line. */
  missing?: { name: string; depth: number };
}

/** What is missing in an object or list would stand at its end. */
export function placeInLines(lines: readonly Line[], pointer: string): PlaceInLines {
  const tokens = tokensOf(pointer);
  for (let count = tokens.length; count >= 0; count--) {
    const above = tokens
      .slice(0, count)
      .map((token) => `/${escapeToken(token)}`)
      .join('');
    const first = lines.findIndex((line) => line.pointer === above && !line.isEnd);
    if (first < 0) continue;
    if (count === tokens.length) return { line: first };
    const { depth } = lines[first] as Line;
    const end = lines.findIndex((line, i) => i > first && line.isEnd && line.pointer === above);
    const name = tokens.slice(count).join('/');
    return { line: end < 0 ? first : end - 1, missing: { name, depth: depth + 1 } };
  }
  return { line: 0 };
}
