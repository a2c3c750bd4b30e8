/** Stands for the list until it is made. */
const LIST = '\u0000list\u0000';

/**
 * A JSON text, indented by two, in pieces: the whole of a long list would be one very long text.
 *
 * @param around what the list is a member of
 */
export function* jsonPieces(around: (list: unknown) => unknown, items: Iterable<unknown>): Generator<string> {
  const frame = JSON.stringify(around(LIST), null, 2);
  const mark = JSON.stringify(LIST);
  const before = frame.slice(0, frame.indexOf(mark));
  const outer = `\n${/\n( *).*$/.exec(before)?.[1] ?? ''}`;
  const inner = `${outer}  `;
  let count = 0;
  for (const item of items) {
    const begin = count++ === 0 ? `${before}[` : ',';
    yield `${begin}${inner}${JSON.stringify(item, null, 2).replaceAll('\n', inner)}`;
  }
  const end = count === 0 ? `${before}[]` : `${outer}]`;
  yield `${end}${frame.slice(before.length + mark.length)}\n`;
}
