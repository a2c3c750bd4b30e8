import type { Approval } from '../model/approval.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { followEvents, get, type LiveEvent } from './api.ts';
import { createStore, useStore } from './store.ts';

/** `GET health`, as far as the page shows it. */
interface Health {
  mode: string;
  /** `forwards to http://…, records into "checkout" (all)` */
  doing: string;
  validation: string;
  guard: string;
  /** Of the gate. */
  url: string;
  /** Absent: what the gate knows cannot be listed. */
  known?: object;
  trouble?: string;
}

interface Live {
  health?: Health;
  /** Newest first, without bodies. */
  exchanges: readonly ShownExchange[];
  /** Newest first. */
  approvals: readonly Approval[];
  /** Only an approver may decide, and the page's token is none of theirs. */
  needsApprover: boolean;
  isConnected: boolean;
  /** Why there is no connection, or how the gate is degraded. */
  trouble?: string | undefined;
}

const KEPT = 1000;
const ASK_AGAIN_MS = 15_000;
/** Milliseconds between two renderings, at least. */
const PAUSE = 250;
const START: Live = { exchanges: [], approvals: [], needsApprover: false, isConnected: false };

const store = createStore(START);
export const useLive = (): Live => useStore(store);

let next = START;
let isToTell = false;
let toldAt = 0;
/** When the newest of the cleared exchanges started. */
let clearedAt = '';

/** Renders at once if the last rendering is long ago. */
function change(changes: Partial<Live>): void {
  next = { ...next, ...changes };
  if (isToTell) return;
  isToTell = true;
  const tell = () => {
    isToTell = false;
    toldAt = Date.now();
    store.set(next);
  };
  setTimeout(tell, Math.max(0, toldAt + PAUSE - Date.now()));
}

/** Follows the gate until the signal ends it. */
export function follow(signal: AbortSignal): void {
  const showFailure = (loading: Promise<unknown>) =>
    loading.catch((error: Error) => {
      if (!signal.aborted) change({ trouble: error.message });
    });
  const take = (event: LiveEvent) => {
    if (event.type === 'exchange') change({ exchanges: [event.data, ...next.exchanges].slice(0, KEPT) });
    else if (event.type === 'approval') change({ approvals: merged([event.data], next.approvals) });
    else if (event.type === 'disconnected') change({ isConnected: false, trouble: event.message });
    else {
      // It may be another run, which counts from 1 again.
      change({ ...START, isConnected: true, trouble: undefined });
      showFailure(Promise.all([loadExchanges(signal), loadState(signal)]));
    }
  };
  const timer = setInterval(() => next.isConnected && showFailure(loadState(signal)), ASK_AGAIN_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  void followEvents(take, signal);
}

/** An approval that is known already stays in its place. */
function merged(given: readonly Approval[], known: readonly Approval[]): Approval[] {
  const fresh = given.filter(({ id }) => !known.some((one) => one.id === id));
  const kept = known.map((one) => given.find(({ id }) => id === one.id) ?? one);
  return [...fresh, ...kept].slice(0, KEPT);
}

/** Asks for what was there before the events. */
async function loadExchanges(signal: AbortSignal): Promise<void> {
  const { exchanges } = await get<{ exchanges: ShownExchange[] }>('exchanges?bodies=false', signal);
  const ids = new Set(next.exchanges.map(({ id }) => id));
  const before = exchanges.filter(({ id, startedAt }) => !ids.has(id) && startedAt > clearedAt);
  change({ exchanges: [...next.exchanges, ...before].slice(0, KEPT) });
}

/** Events tell of this gate alone, and other gates may share its approvals. */
async function loadState(signal: AbortSignal): Promise<void> {
  const [asked, health] = await Promise.all([
    get<{ approvals: Approval[]; approvers: boolean; mayDecide?: boolean }>('approvals?limit=100', signal),
    get<Health>('health', signal),
  ]);
  change({
    health,
    approvals: merged(asked.approvals, next.approvals),
    needsApprover: asked.approvers && asked.mayDecide !== true,
    trouble: health.trouble,
  });
}

/** Takes all exchanges off the page. The gate keeps them. */
export function clearExchanges(): void {
  clearedAt = next.exchanges[0]?.startedAt ?? clearedAt;
  change({ exchanges: [] });
}
