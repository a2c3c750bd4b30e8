import { type Known, RECORD_KINDS, type RecordName } from '../../model/record.ts';
import { type State, stateOf } from '../../state/state-file.ts';

/** The state that holds these records, in an order that does not depend on when each was learnt. */
export function sortedState(
  records: Iterable<{ name: RecordName; known: Known }>,
  target: string | undefined,
): State {
  return stateOf([...records].sort(inOrder), target);
}

function inOrder({ name: a }: { name: RecordName }, { name: b }: { name: RecordName }): number {
  return (
    compare(a.base ?? '', b.base ?? '') ||
    compare(a.account, b.account) ||
    RECORD_KINDS.indexOf(a.kind) - RECORD_KINDS.indexOf(b.kind) ||
    compare(a.id, b.id)
  );
}

/** Integers by their size, whatever that is. */
function compare(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
