import type { KeptExchanges } from '../kept-exchanges.ts';

/** Of so few it is found out each time which are of which session. */
const FEW = 16;

/** The positions of a long sequence by the names of their sessions, as far as it was looked through. */
interface Parts {
  looked: number;
  /** Undefined as long as all are of the default session. */
  bySession: Map<string, number[]> | undefined;
}

/** By the list itself: a long one is the same at each request, and goes with what it is of. It can only grow. */
const known = new WeakMap<readonly number[], Parts>();

/**
 * What a session is given of a sequence: the exchanges that were recorded in a session of its name; where there are none,
 * those of the default one; where there are none of these either, all.
 *
 * @param indexes positions of exchanges, oldest first
 * @param name `""` is the default session
 */
export function ofSession(
  recorded: KeptExchanges,
  indexes: readonly number[],
  name: string,
): readonly number[] {
  if (indexes.length <= 1) return indexes;
  const parts = indexes.length > FEW ? longParts(recorded, indexes) : look(recorded, indexes);
  return parts?.get(name) ?? parts?.get('') ?? indexes;
}

/** The first exchanges, of all that there are, of what a session is given. @param most so many of them */
export function firstOfSession(recorded: KeptExchanges, name: string, most: number): readonly number[] {
  const own: number[] = [];
  const unnamed: number[] = [];
  const all: number[] = [];
  for (let index = 0; index < recorded.length && own.length < most; index++) {
    const session = recorded.sessionOf(index);
    if (session === name) own.push(index);
    if (session === '' && unnamed.length < most) unnamed.push(index);
    if (all.length < most) all.push(index);
  }
  return [own, unnamed, all].find(({ length }) => length > 0) ?? [];
}

function longParts(recorded: KeptExchanges, indexes: readonly number[]): Parts['bySession'] {
  const before = known.get(indexes);
  if (before?.looked === indexes.length) return before.bySession;
  const bySession = look(recorded, indexes, before);
  known.set(indexes, { looked: indexes.length, bySession });
  return bySession;
}

function look(recorded: KeptExchanges, indexes: readonly number[], before?: Parts): Parts['bySession'] {
  let parts = before?.bySession;
  for (let i = before?.looked ?? 0; i < indexes.length; i++) {
    const index = indexes[i] as number;
    const name = recorded.sessionOf(index);
    if (parts === undefined) {
      if (name === '') continue;
      parts = new Map(i > 0 ? [['', indexes.slice(0, i)]] : []);
    }
    if (!parts.get(name)?.push(index)) parts.set(name, [index]);
  }
  return parts;
}
