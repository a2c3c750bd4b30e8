import type { State } from '../../state/state-file.ts';

/**
 * The text of a state file, in small parts: pretty-printed JSON (2 spaces) with a line feed at its end, as
 * `JSON.stringify(state, null, 2)` would give it.
 */
export function* stateText({ target, accounts, paths = {} }: State): Generator<string> {
  yield '{';
  if (target !== undefined) yield `\n  "target": ${JSON.stringify(target)},`;
  if (accounts) {
    yield '\n  "accounts": ';
    yield* accountsText(accounts, 1);
    yield ',';
  }
  yield '\n  "paths": ';
  yield* objectText(paths, 1, (below) => accountsText(below, 2));
  yield '\n}\n';
}

/** A line feed in a record's text is always one between members: in a JSON string it is escaped. */
function accountsText(accounts: NonNullable<State['accounts']>, depth: number): Generator<string> {
  const recordText = (record: unknown) => [
    JSON.stringify(record, null, 2).replaceAll('\n', `\n${'  '.repeat(depth + 3)}`),
  ];
  return objectText(accounts, depth, (collections) =>
    objectText(collections, depth + 1, (records = {}) => objectText(records, depth + 2, recordText)),
  );
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
