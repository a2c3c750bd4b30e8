import { PatchgateError } from '../../errors.ts';
import type { ServedInSession, Session } from '../../upstreams/session.ts';
import type { LiveSession } from '../sessions.ts';
import { CONTROL_ROOT } from './control-path.ts';

export type ServedTo = (session: Session) => ServedInSession;

/** A session as the control API shows it. */
export interface ShownSession {
  /** `""` is the default one. */
  name: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  lastUsedAt: string;
  /** Requests so far, those that are not over yet included. */
  requests: number;
  /** Answers out of the recording; absent where nothing is replayed. */
  served?: number;
}

/** The same with the exchanges that were served to it, in the order in which they first were. */
export interface ShownWholeSession extends ShownSession {
  exchanges?: readonly object[];
  /** There were more exchanges than are kept track of. */
  cut?: true;
}

export function showSession(session: LiveSession, servedTo: ServedTo | undefined): ShownSession {
  const { name, startedAt, lastUsedAt, requests } = session;
  return {
    name,
    startedAt: new Date(startedAt).toISOString(),
    lastUsedAt: new Date(lastUsedAt).toISOString(),
    requests,
    ...(servedTo && { served: servedTo(session).count }),
  };
}

export function showWholeSession(session: LiveSession, servedTo: ServedTo | undefined): ShownWholeSession {
  const served = servedTo?.(session);
  return {
    ...showSession(session, servedTo),
    ...(served && { exchanges: [...served.exchanges], ...(served.isCut && { cut: true as const }) }),
  };
}

export function noSession(name: string): PatchgateError {
  return new PatchgateError('not-found', `there is no session ${name.slice(0, 100)}`, {
    hint: `GET ${CONTROL_ROOT}/sessions lists those that there are; a session begins with its first request and ends when nobody uses it`,
  });
}
