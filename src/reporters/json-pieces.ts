/** Stands for the list until it is made. */
const LIST = '\u0000list\u0000';

/**
 * A JSON text, indented by two, in pieces: the whole of a long list would be one very long text.
 *
 * @param around what the list is a member of
 */
export function* jsonPieces(around: (list: unknown) => unknown, items: Iterable<unknown>): Generator<string> {
  const frame = jsonText(around(LIST));
  const mark = JSON.stringify(LIST);
  const before = frame.slice(0, frame.indexOf(mark));
  const outer = `\n${/\n( *).*$/.exec(before)?.[1] ?? ''}`;
  const inner = `${outer}  `;
  let count = 0;
  for (const item of items) {
    const begin = count++ === 0 ? `${before}[` : ',';
    yield `${begin}${inner}${jsonText(item).replaceAll('\n', inner)}`;
  }
  const end = count === 0 ? `${before}[]` : `${outer}]`;
  yield `${end}${frame.slice(before.length + mark.length)}\n`;
}

/** Half of a surrogate pair, as a JSON text has it: escaped. */
const HALF = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** What no UTF-8 can hold, like the half of a pair in a member's name, makes strict readers refuse the whole text. */
function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(HALF, '$1\ufffd');
}
