import type { Approval } from '../model/approval.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { events, get, type LiveEvent } from './api.ts';
import { createListeners, useSyncExternalStore } from './store.ts';

/** What the page knows of the run. A change is another object; its lists are not changed. */
interface Live {
  /** Newest first, without bodies. */
  exchanges: readonly ShownExchange[];
  /** Newest first. */
  approvals: readonly Approval[];
  /** Whether approvers are given, so that the control token alone cannot approve. */
  hasApprovers: boolean;
  /** False: the page's token is no approver's, and only an approver may decide. */
  mayDecide: boolean;
  /** Whether what is known of the records is the same for all sessions, so that it can be listed; undefined: not asked yet. */
  hasState: boolean | undefined;
  connection: 'connecting' | 'connected' | 'disconnected';
  /** Why there is no connection. */
  trouble: string | undefined;
}

export const KEPT = 1000;
/** Milliseconds between two notices, at least: at 200 exchanges a second the page shows four changes. */
const NOTICE_PAUSE = 250;

/** Oldest first: to add is cheap. */
let exchanges: ShownExchange[] = [];
/** By id, oldest first. */
let approvals = new Map<string, Approval>();
let hasApprovers = false;
let mayDecide = true;
let hasState: boolean | undefined;
let connection: Live['connection'] = 'connecting';
let trouble: string | undefined;
let live: Live = snapshot();

const listeners = createListeners();
let isToNotice = false;
let noticedAt = 0;

function snapshot(): Live {
  const newest = [...approvals.values()].reverse();
  return {
    exchanges: exchanges.toReversed(),
    ...{ approvals: newest, hasApprovers, mayDecide, hasState, connection, trouble },
  };
}

/** Tells at once where the last notice is long ago. */
function changed(): void {
  if (isToNotice) return;
  isToNotice = true;
  setTimeout(notice, Math.max(0, noticedAt + NOTICE_PAUSE - Date.now()));
}

function notice(): void {
  isToNotice = false;
  noticedAt = Date.now();
  live = snapshot();
  listeners.tell();
}

/** Follows the run until the signal ends that. */
export function follow(signal: AbortSignal): void {
  void events((event) => take(event, signal), signal);
}

function take(event: LiveEvent, signal: AbortSignal): void {
  if (event.type === 'exchange') {
    exchanges.push(event.data);
    if (exchanges.length > KEPT) exchanges.shift();
  } else if (event.type === 'approval') keep([event.data]);
  else if (event.type === 'disconnected') {
    connection = 'disconnected';
    trouble = event.message;
  } else {
    // Another run may be there by now, which counts from 1 again.
    exchanges = [];
    approvals = new Map();
    connection = 'connected';
    trouble = undefined;
    void load(signal);
  }
  changed();
}

/** The oldest go first. */
function keep(given: readonly Approval[]): void {
  for (const one of given) approvals.set(one.id, one);
  for (const id of approvals.keys()) {
    if (approvals.size <= KEPT) break;
    approvals.delete(id);
  }
}

/** What went by before the events. */
async function load(signal: AbortSignal): Promise<void> {
  try {
    const [listed, asked, health] = await Promise.all([
      get<{ exchanges: ShownExchange[] }>('exchanges?bodies=false', signal),
      get<{ approvals: Approval[]; approvers: boolean; mayDecide?: boolean }>(
        `approvals?limit=${KEPT}`,
        signal,
      ),
      get<{ known?: object }>('health', signal),
    ]);
    const ids = new Set(exchanges.map(({ id }) => id));
    exchanges = [...listed.exchanges.reverse().filter(({ id }) => !ids.has(id)), ...exchanges].slice(-KEPT);
    const since = [...approvals.values()];
    approvals = new Map();
    keep([...asked.approvals.reverse(), ...since]);
    hasApprovers = asked.approvers;
    hasState = health.known !== undefined;
    mayDecide = asked.mayDecide ?? true;
  } catch (error) {
    if (signal.aborted) return;
    trouble = error instanceof Error ? error.message : String(error);
  }
  // What a reader waits for.
  notice();
}

export const useLive = (): Live => useSyncExternalStore(listeners.subscribe, read);

const read = () => live;
