/** Characters that are shown before the first one that differs. */
const BEFORE = 20;
/** Of a line, what is looked at to show its beginning. */
const LOOKED_AT = 4096;

/**
 * The parts of two texts from which it can be seen how they differ: their first lines that do, from shortly before the first
 * character that does. Both texts are redacted: a part of a secret would no longer look like one.
 */
export function differentParts(a: string, b: string): [string, string] {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const line = at === 0 ? 0 : a.lastIndexOf('\n', at - 1) + 1;
  const start = at - line > 2 * BEFORE ? at - BEFORE : line;
  return [partOf(a, start, start > line), partOf(b, start, start > line)];
}

function partOf(text: string, start: number, isCut: boolean): string {
  const end = text.indexOf('\n', start);
  const part = text.slice(start, Math.min(end < 0 ? text.length : end, start + LOOKED_AT));
  return isCut ? `…${part}` : part;
}
