import type { StoredExchange } from '../store/stored-exchange.ts';

/** Of so few it is found out each time which are of which session. */
const FEW = 16;

/** The exchanges of a long list by the names of their sessions, as far as it was looked through. */
interface Parts {
  looked: number;
  /** Undefined as long as all are of the default session. */
  bySession: Map<string, StoredExchange[]> | undefined;
}

/** By the list itself, which is the same at each request, and goes with what it is of. It can only grow. */
const known = new WeakMap<readonly StoredExchange[], Parts>();

/**
 * What a session is given of what matches: the exchanges that were recorded in a session of its name; where there are none,
 * those of the default one; where there are none of these either, all.
 *
 * @param matched oldest first
 * @param name `""` is the default session
 */
export function ofSession(matched: readonly StoredExchange[], name: string): readonly StoredExchange[] {
  if (matched.length <= 1) return matched;
  const { bySession } = matched.length > FEW ? longParts(matched) : look(matched);
  return bySession?.get(name) ?? bySession?.get('') ?? matched;
}

function longParts(matched: readonly StoredExchange[]): Parts {
  const before = known.get(matched);
  if (before?.looked === matched.length) return before;
  const parts = look(matched, before);
  known.set(matched, parts);
  return parts;
}

function look(matched: readonly StoredExchange[], before?: Parts): Parts {
  let bySession = before?.bySession;
  for (let i = before?.looked ?? 0; i < matched.length; i++) {
    const stored = matched[i] as StoredExchange;
    if (bySession === undefined) {
      if (stored.session === '') continue;
      bySession = new Map(i > 0 ? [['', matched.slice(0, i)]] : []);
    }
    if (!bySession.get(stored.session)?.push(stored)) bySession.set(stored.session, [stored]);
  }
  return { looked: matched.length, bySession };
}
