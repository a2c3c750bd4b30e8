import type { ExchangeList } from './exchange-list.ts';
import type { FaultsOfRun } from './faults/faults.ts';
import type { Sessions } from './sessions.ts';

/** What a reset makes as new. */
export interface Resettable {
  sessions: Sessions;
  exchanges: ExchangeList;
  faults: FaultsOfRun;
}

/** Makes a run as new: the list of exchanges, the places in sequences, the state of the fake, the faults. @param session that one alone */
export function reset({ sessions, exchanges, faults }: Resettable, session?: string): void {
  // What a session has of its own ends with it; one that nobody has used yet is as new as it can be.
  if (session === undefined) sessions.endAll();
  else sessions.end(session);
  if (session === undefined) faults.reset();
  exchanges.reset(session);
}
