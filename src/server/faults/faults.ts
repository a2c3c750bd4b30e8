import { METHODS as KNOWN } from 'node:http';
import { type ErrorCode, PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { type RequestHead, splitTarget } from '../../http/http.ts';
import { type FaultRule, type FaultsGiven, faultText } from '../../model/fault.ts';
import { nearest } from '../../model/nearest.ts';
import { isSessionName, SESSION_NAMES } from '../../model/session-name.ts';
import { readGivenFaults } from '../../settings/faults.ts';
import { type PathPredicate, pathPatterns } from '../../settings/globs.ts';
import type { Session } from '../../upstreams/session.ts';
import type { LiveSession, Sessions } from '../sessions.ts';

/** How often a rule fitted a request, and how often it held for it. */
export interface Count {
  matched: number;
  applied: number;
}

/** What makes answers fail: for all sessions, and for some alone. */
export interface Faults {
  /**
   * Puts faults in the place of those that hold; what was counted begins anew. A reset brings those of the start back.
   *
   * @param session those of this one alone, for which the common ones hold no more; `""` is the default one
   * @throws PatchgateError `bad-input`, naming the fault
   */
  set(given: FaultsGiven, session?: string): Promise<void>;
  /** Those that hold. @param session for this one */
  list(session?: string): ShownFaults;
  /** Takes them away. @param session those of this one alone: the common ones hold for it again */
  clear(session?: string): void;
  /** Those of the start that never happened; none where no request came to them. */
  neverHappened(): IdleFault[];
  /** Those of the start, for people: `injects 3 faults`; undefined if there are none. */
  readonly summary: string | undefined;
}

interface ShownFaults {
  /** Whose alone they are; absent where they are the common ones. */
  session?: string;
  /** How often each fitted a request, and how often it happened: in the session, or in all that have none of their own. */
  faults: ({ fault: string } & Count)[];
}

/** A fault that never happened. */
export interface IdleFault {
  /** In one line. */
  fault: string;
  /** How many requests it fitted. */
  matched: number;
}

interface FaultsOptions {
  gate: Pick<Gate, 'operations' | 'operationOf'>;
  sessions: Sessions;
  /** Those of the start. */
  start: readonly FaultRule[];
}

/** One way in which answers fail, and what was counted of it. */
export interface Fault {
  rule: FaultRule;
  /** In one line. */
  text: string;
  path: PathPredicate | undefined;
  /** In each session, as long as it is there. */
  counts: WeakMap<Session, Count>;
  /** In all sessions. */
  total: Count;
}

/** The faults of a run. Those of a session alone end with it, and so does what was counted in it. */
export class FaultsOfRun implements Faults {
  readonly #options: FaultsOptions;
  readonly #start: readonly Fault[];
  readonly #own = new WeakMap<LiveSession, readonly Fault[]>();
  /** What waits because of a fault alone goes on when this is called. */
  readonly #waits = new Set<() => void>();
  #common: readonly Fault[];
  /** Without any, a request pays nothing for them. */
  #areThere: boolean;
  #hasRequests = false;

  private constructor(options: FaultsOptions, start: readonly Fault[]) {
    this.#options = options;
    this.#start = this.#common = start;
    this.#areThere = start.length > 0;
  }

  /** @throws PatchgateError `bad-usage` where one of the start can never happen here */
  static async of(options: FaultsOptions): Promise<FaultsOfRun> {
    return new FaultsOfRun(options, await faultsOf(options.start, options.gate, 'bad-usage'));
  }

  get summary(): string | undefined {
    const { length } = this.#start;
    return length === 0 ? undefined : `injects ${length === 1 ? '1 fault' : `${length} faults`}`;
  }

  /** What happens to the answer to a request that passed the gate: the first fault that fits, and holds this time. */
  choose(session: LiveSession, head: RequestHead): Fault | undefined {
    if (!this.#areThere) return undefined;
    this.#hasRequests = true;
    const faults = this.#own.get(session) ?? this.#common;
    return faults.find((fault) => this.#fits(fault, head) && holds(fault, session));
  }

  /** Waits because of a fault alone: a server that closes does not wait for it. @param signal the client is gone */
  async wait({ rule }: Fault, signal: AbortSignal): Promise<void> {
    const { from, to } = rule.latency ?? { from: 0, to: 0 };
    if (to === 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', go);
        this.#waits.delete(go);
        resolve();
      };
      const timer = setTimeout(go, from + Math.random() * (to - from));
      signal.addEventListener('abort', go);
      this.#waits.add(go);
    });
  }

  /** Nothing goes on waiting for a fault alone. */
  endWaits(): void {
    for (const go of [...this.#waits]) go();
  }

  async set(given: FaultsGiven, session?: string): Promise<void> {
    const { sessions, gate } = this.#options;
    const faults = await faultsOf(readGivenFaults(given), gate, 'bad-input');
    if (session && !isSessionName(session))
      throw new PatchgateError('bad-input', 'there can be no session of that name', {
        hint: `it has ${SESSION_NAMES}`,
      });
    if (session === undefined) this.#common = faults;
    else this.#own.set(sessions.begin(session), faults);
    this.#areThere = true;
  }

  list(session?: string): ShownFaults {
    const { sessions } = this.#options;
    const live = session === undefined ? undefined : sessions.get(session);
    const own = live && this.#own.get(live);
    const counted = session === undefined ? sessions.list() : live ? [live] : [];
    const faults = (own ?? this.#common).map(({ text: fault, counts }) => {
      const all = counted.flatMap((one) => counts.get(one) ?? []);
      const sum = (of: keyof Count) => all.reduce((total, count) => total + count[of], 0);
      return { fault, matched: sum('matched'), applied: sum('applied') };
    });
    return { ...(own && { session: session as string }), faults };
  }

  neverHappened(): IdleFault[] {
    const idle = this.#start.filter(({ total }) => this.#hasRequests && total.applied === 0);
    return idle.map(({ text: fault, total: { matched } }) => ({ fault, matched }));
  }

  clear(session?: string): void {
    const live = session === undefined ? undefined : this.#options.sessions.get(session);
    if (live) this.#own.delete(live);
    else if (session === undefined) this.#common = [];
  }

  /** Those of the start again. No session goes on, nor what it had of its own. */
  reset(): void {
    this.#common = this.#start;
    this.#areThere = this.#start.length > 0;
  }

  #fits({ rule: { method, operation }, path }: Fault, head: RequestHead): boolean {
    if (method !== undefined && method !== head.method) return false;
    if (operation !== undefined && operation !== this.#options.gate.operationOf(head)) return false;
    return path?.(splitTarget(head.url).path) ?? true;
  }
}

function holds({ rule: { count, rate = 1 }, counts, total }: Fault, session: Session): boolean {
  const counted = counts.get(session) ?? { matched: 0, applied: 0 };
  counts.set(session, counted);
  counted.matched++;
  total.matched++;
  if (counted.applied === count || Math.random() >= rate) return false;
  counted.applied++;
  total.applied++;
  return true;
}

/** A word of a fault may be meant to be one. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** @throws PatchgateError with that code, naming the fault that can never happen */
async function faultsOf(
  rules: readonly FaultRule[],
  { operations }: FaultsOptions['gate'],
  code: ErrorCode,
): Promise<Fault[]> {
  for (const rule of rules) {
    const { method, operation } = rule;
    const wrong = (what: string, near: string | undefined) =>
      new PatchgateError(code, `fault "${faultText(rule)}": ${what}`, {
        hint: near ? `did you mean "${near}"?` : `operations: ${operations.join(', ')}`,
      });
    const meant = method === undefined || KNOWN.includes(method) ? undefined : nearest(method, METHODS);
    if (meant) throw wrong(`${method} is no method of HTTP`, meant);
    if (operation !== undefined && !operations.includes(operation)) {
      const near = nearest(operation, [...operations, 'reset', ...METHODS]);
      throw wrong(`the contract has no operation ${operation}`, near);
    }
  }
  return Promise.all(
    rules.map(async (rule) => ({
      ...{ rule, text: faultText(rule), counts: new WeakMap(), total: { matched: 0, applied: 0 } },
      path: rule.path === undefined ? undefined : await pathPatterns([rule.path]),
    })),
  );
}
