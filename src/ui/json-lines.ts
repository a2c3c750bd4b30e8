import { childOf, type JsonValue } from '../json/json.ts';
import { tokensOf } from '../json/pointer.ts';
import { printable } from '../server/printable.ts';

/** The lines of a formatted JSON document. Characters that hide themselves or turn the text around are escaped. */
export function jsonLines(document: JsonValue): string[] {
  return JSON.stringify(document, null, 2).split('\n').map(printable);
}

/** The indentation of a line, with the name of its member. */
export function nameIn(line: string): string {
  return /^ *(?:"(?:[^"\\]|\\.)*": )?/.exec(line)?.[0] ?? '';
}

/** The line on which a pointer's value begins. The name of a missing member is `missing`: it should stand behind that line. */
export function placeInLines(document: JsonValue, pointer: string): { line: number; missing?: string } {
  const tokens = tokensOf(pointer);
  let line = 0;
  let value: unknown = document;
  for (const [depth, token] of tokens.entries()) {
    const child = childOf(value, token);
    if (child === undefined)
      return {
        line: Math.max(line, line + countLines(value) - 2),
        missing: tokens.slice(depth).join('/'),
      };
    for (const [name, item] of Object.entries(value as object)) {
      if (name === token) break;
      line += countLines(item);
    }
    line++;
    value = child;
  }
  return { line };
}

function countLines(value: unknown): number {
  return JSON.stringify(value, null, 2).split('\n').length;
}
