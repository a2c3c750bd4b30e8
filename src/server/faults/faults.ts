import { METHODS as KNOWN } from 'node:http';
import { type ErrorCode, PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import type { RequestHead } from '../../http/http.ts';
import { type FaultRule, type FaultsGiven, faultText } from '../../model/fault.ts';
import { nearest } from '../../model/nearest.ts';
import { isSessionName, SESSION_NAMES } from '../../model/session-name.ts';
import { readGivenFaults } from '../../settings/faults.ts';
import type { LiveSession, Sessions } from '../sessions.ts';
import { type Count, type Fault, FaultList, type IdleFault } from './fault-list.ts';

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
  /** Those of the start that never happened, in whatever session and before whatever reset; none where no request came to
   *  them. */
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

interface FaultsOptions {
  gate: Pick<Gate, 'operations' | 'operationOf'>;
  sessions: Sessions;
  /** Those of the start. */
  start: readonly FaultRule[];
}

/** The faults of a run. Those of a session alone end with it, and so does what was counted in it. */
export class FaultsOfRun implements Faults {
  readonly #options: FaultsOptions;
  readonly #start: FaultList;
  readonly #own = new WeakMap<LiveSession, FaultList>();
  /** What waits because of a fault alone goes on when this is called. */
  readonly #waits = new Set<() => void>();
  #common: FaultList;
  /** Without any, a request pays nothing for them. */
  #areThere: boolean;

  private constructor(options: FaultsOptions, start: FaultList) {
    this.#options = options;
    this.#start = this.#common = start;
    this.#areThere = start.rules.length > 0;
  }

  /** @throws PatchgateError `bad-usage` where one of the start can never happen here */
  static async of(options: FaultsOptions): Promise<FaultsOfRun> {
    const { start } = options;
    checkRules(start, options.gate, 'bad-usage');
    return new FaultsOfRun(options, await listOf(start, options));
  }

  get summary(): string | undefined {
    const { length } = this.#start.rules;
    if (length === 0) return undefined;
    return `injects ${length === 1 ? '1 fault' : `${length} faults`}`;
  }

  /** What happens to the answer to a request that passed the gate. */
  choose(session: LiveSession, head: RequestHead): Fault | undefined {
    return this.#areThere ? (this.#own.get(session) ?? this.#common).choose(session, head) : undefined;
  }

  /** For a fault alone: a server that closes does not wait for it. @param signal the client is gone */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (milliseconds === 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', go);
        this.#waits.delete(go);
        resolve();
      };
      const timer = setTimeout(go, milliseconds);
      signal.addEventListener('abort', go);
      this.#waits.add(go);
    });
  }

  async set(given: Parameters<Faults['set']>[0], session?: string): Promise<void> {
    const rules = readGivenFaults(given);
    const { sessions, gate } = this.#options;
    checkRules(rules, gate, 'bad-input');
    if (session && !isSessionName(session))
      throw new PatchgateError('bad-input', 'there can be no session of that name', {
        hint: `it has ${SESSION_NAMES}`,
      });
    const list = await listOf(rules, this.#options);
    if (session === undefined) this.#common = list;
    else this.#own.set(sessions.begin(session), list);
    this.#areThere = true;
  }

  list(session?: string): ShownFaults {
    const { sessions } = this.#options;
    const live = session === undefined ? undefined : sessions.get(session);
    const own = live && this.#own.get(live);
    const list = own ?? this.#common;
    const counts = list.counted(session === undefined ? sessions.list() : live ? [live] : []);
    return {
      ...(own && { session: session as string }),
      faults: list.texts.map((fault, at) => ({ fault, ...(counts[at] as Count) })),
    };
  }

  neverHappened(): IdleFault[] {
    return this.#start.neverHappened();
  }

  clear(session?: string): void {
    const { sessions } = this.#options;
    const live = session === undefined ? undefined : sessions.get(session);
    if (live) this.#own.delete(live);
    else if (session === undefined) this.#common = this.#common.emptied();
  }

  /** Nothing goes on waiting for a fault alone. */
  endWaits(): void {
    for (const go of [...this.#waits]) go();
  }

  /** Those of the start again. No session goes on, nor what it had of its own. */
  reset(): void {
    this.#common = this.#start;
    this.#areThere = this.#start.rules.length > 0;
  }
}

/** A word of a fault may be meant to be one. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function listOf(rules: readonly FaultRule[], options: FaultsOptions): Promise<FaultList> {
  return FaultList.of(rules, (head) => options.gate.operationOf(head));
}

/** Whether each can happen at all. @throws PatchgateError with that code, naming the fault */
function checkRules(
  rules: readonly FaultRule[],
  { operations }: FaultsOptions['gate'],
  code: ErrorCode,
): void {
  for (const rule of rules) {
    const { method, operation } = rule;
    const wrong = (what: string, near: string | undefined) =>
      new PatchgateError(code, `fault "${faultText(rule)}": ${what}`, {
        hint: near ? `did you mean "${near}"?` : `operations: ${operations.join(', ')}`,
      });
    const meant = method === undefined || KNOWN.includes(method) ? undefined : nearest(method, METHODS);
    if (meant) throw wrong(`${method} is no method of HTTP`, meant);
    if (operation !== undefined && !operations.includes(operation))
      throw wrong(
        `the contract has no operation ${operation}`,
        nearest(operation, [...operations, 'reset', ...METHODS]),
      );
  }
}
