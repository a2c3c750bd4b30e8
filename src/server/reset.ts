import type { ExchangeList } from './exchange-list.ts';
import type { Sessions } from './sessions.ts';

/** What a reset makes as new. */
export interface Resettable {
  sessions: Sessions;
  exchanges: ExchangeList;
}

/** Makes a run as new: the list of exchanges, the places in sequences, the state of the fake. @param session that one alone */
export function reset({ sessions, exchanges }: Resettable, session?: string): void {
  if (session === undefined) sessions.endAll();
  // One that nobody has used yet is as new as it can be.
  else sessions.end(session);
  exchanges.reset(session);
}
