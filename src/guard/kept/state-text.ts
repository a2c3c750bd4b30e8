import type { State } from '../../state/state-file.ts';

/**
 * The text of a state file, in small parts: pretty-printed JSON (2 spaces) with a line feed at its end, as
 * `JSON.stringify(state, null, 2)` would give it.
 */
export function* stateText({ target, accounts }: State): Generator<string> {
  yield '{';
  if (target !== undefined) yield `\n  "target": ${JSON.stringify(target)},`;
  yield '\n  "accounts": ';
  yield* objectText(accounts, 1, (collections) =>
    objectText(collections, 2, (records = {}) => objectText(records, 3, recordText)),
  );
  yield '\n}\n';
}

function* objectText<T>(
  object: Readonly<Record<string, T>>,
  depth: number,
  textOf: (value: T) => Iterable<string>,
): Generator<string> {
  const indent = '  '.repeat(depth);
  let before = '{';
  for (const [name, value] of Object.entries(object)) {
    yield `${before}\n${indent}  ${JSON.stringify(name)}: `;
    yield* textOf(value);
    before = ',';
  }
  yield before === '{' ? '{}' : `\n${indent}}`;
}

/** A line feed in the text is always one between members: in a JSON string it is escaped. */
function recordText(record: unknown): [string] {
  return [JSON.stringify(record, null, 2).replaceAll('\n', '\n        ')];
}
