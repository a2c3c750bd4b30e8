import { once } from 'node:events';
import { METHODS } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type ErrorCode, PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import { type RequestHead, splitTarget } from '../http/http.ts';
import { nameMatcher } from '../model/name-pattern.ts';
import { nearest } from '../model/nearest.ts';
import { isSessionName, SESSION_NAMES } from '../model/session-name.ts';
import { type FaultRule, type FaultsGiven, readGivenFaults } from '../settings/faults.ts';
import { NO_BODY } from '../upstreams/bodies.ts';
import type { Session } from '../upstreams/session.ts';
import type { Answer } from '../upstreams/upstream.ts';
import { reset, type Step } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { problem } from './problem.ts';
import type { Sessions } from './sessions.ts';
import { hasBody } from './watch-body.ts';

/** How often a rule fitted a request, and how often it held for it. */
interface Count {
  matched: number;
  applied: number;
}

/** One way in which answers fail, and what was counted of it: in each session, and in all. */
export interface Fault extends FaultRule {
  fits: (path: string) => boolean;
  counts: WeakMap<Session, Count>;
  total: Count;
}

/** Whose faults they are, if they are a session's alone, and what was counted of each: in the session, or in all. */
interface ShownFaults {
  session?: string;
  faults: ({ fault: string } & Count)[];
}

interface FaultsOptions {
  gate: Pick<Gate, 'operations' | 'operationOf'>;
  sessions: Sessions;
  /** Those of the start. */
  start: readonly FaultRule[];
}

/** What makes answers fail: for all sessions, and for some alone. Those of a session alone end with it. */
export class Faults {
  readonly #options: FaultsOptions;
  readonly #own = new WeakMap<Session, readonly Fault[]>();
  readonly #stopping = new AbortController();
  readonly #start: readonly Fault[];
  #common: readonly Fault[];

  /** @throws PatchgateError `bad-usage` where one of the start can never happen here */
  constructor(options: FaultsOptions) {
    this.#options = options;
    this.#start = this.#common = faultsOf(options.start, options.gate, 'bad-usage');
  }

  /** What happens to the answer to a request that passed the gate: the first fault that fits, and holds this time. */
  choose(session: Session, head: RequestHead): Fault | undefined {
    const { gate } = this.#options;
    const faults = this.#own.get(session) ?? this.#common;
    return faults.find((fault) => {
      const { method = head.method, operation, fits } = fault;
      if (method !== head.method || !fits(splitTarget(head.url).path)) return false;
      if (operation !== undefined && operation !== gate.operationOf(head)) return false;
      return holds(fault, session);
    });
  }

  /** Answers in the place of the upstream, once the request is there whole; undefined: the connection is reset. */
  async answer(fault: Fault, x: Exchange): Promise<Answer | undefined> {
    if (!x.body && hasBody(x.req) && !x.req.readableEnded) await once(x.req.resume(), 'end');
    await this.#wait(fault, x);
    if (!fault.reset) return answerOf(fault);
    reset(x);
    return undefined;
  }

  /** The upstream's answer after a wait. */
  async delay(fault: Fault, answer: Step, x: Exchange): Promise<Answer> {
    const { headers, body, ...whole } = (await answer) as Answer;
    // Most answers are there whole by then, and recorded.
    if (!Buffer.isBuffer(body)) body.read(0);
    await this.#wait(fault, x);
    return { ...whole, body, headers: [...headers, 'Patchgate-Fault', fault.text] };
  }

  /** Nothing goes on waiting for a fault alone. */
  endWaits(): void {
    this.#stopping.abort();
  }

  /**
   * Puts faults in the place of those that hold; what was counted begins anew. A reset brings those of the start back.
   *
   * @param session those of this one alone, for which the common ones hold no more; `""` is the default one
   * @throws PatchgateError `bad-input`, naming the fault
   */
  set(given: FaultsGiven, session?: string): void {
    const { sessions, gate } = this.#options;
    const faults = faultsOf(readGivenFaults(given), gate, 'bad-input');
    if (session && !isSessionName(session))
      throw new PatchgateError('bad-input', 'there can be no session of that name', {
        hint: `it has ${SESSION_NAMES}`,
      });
    if (session === undefined) this.#common = faults;
    else this.#own.set(sessions.enter(session), faults);
  }

  /** Those that hold. @param session for this one */
  list(session?: string): ShownFaults {
    const live = session === undefined ? undefined : this.#options.sessions.get(session);
    const own = live && this.#own.get(live);
    const faults = (own ?? this.#common).map(({ text, counts, total }) => {
      const count = session === undefined ? total : live && counts.get(live);
      return { fault: text, ...(count ?? { matched: 0, applied: 0 }) };
    });
    return { ...(own && session !== undefined && { session }), faults };
  }

  /** Takes them away. @param session those of this one alone: the common ones hold for it again */
  clear(session?: string): void {
    const live = session === undefined ? undefined : this.#options.sessions.get(session);
    if (live) this.#own.delete(live);
    else if (session === undefined) this.#common = [];
  }

  /** Those of the start again, in new sessions. */
  reset(): void {
    const anew = (fault: Fault) => ({ ...fault, total: { matched: 0, applied: 0 } });
    this.#common = this.#start.map(anew);
  }

  async #wait({ latency }: Fault, { client }: Exchange): Promise<void> {
    if (!latency?.to) return;
    const ms = latency.from + Math.random() * (latency.to - latency.from);
    const signal = AbortSignal.any([client.signal, this.#stopping.signal]);
    await setTimeout(ms, undefined, { signal }).catch(() => undefined);
  }
}

function holds({ count, rate = 1, counts, total }: Fault, session: Session): boolean {
  const counted = counts.get(session) ?? { matched: 0, applied: 0 };
  counts.set(session, counted);
  counted.matched++;
  total.matched++;
  if (counted.applied === count || Math.random() >= rate) return false;
  counted.applied++;
  total.applied++;
  return true;
}

/** @throws PatchgateError with that code, naming the fault that can never happen */
function faultsOf(
  rules: readonly FaultRule[],
  { operations }: FaultsOptions['gate'],
  code: ErrorCode,
): Fault[] {
  return rules.map((rule) => {
    const { text, path = '*', method = 'GET', operation } = rule;
    const unknown = METHODS.includes(method) ? operation : method;
    if (unknown !== undefined && !operations.includes(unknown)) {
      const near = nearest(unknown, [...operations, 'reset', ...METHODS]);
      throw new PatchgateError(code, `fault "${text}": there is no operation or method ${unknown}`, {
        hint: near ? `did you mean "${near}"?` : `operations: ${operations.join(', ')}`,
      });
    }
    const isMeant = nameMatcher([`*${path}`]);
    const fits = (sent: string) => isMeant(sent.replace(/\/$/, ''));
    return { ...rule, fits, counts: new WeakMap(), total: { matched: 0, applied: 0 } };
  });
}

/** Answers that never have a body (RFC 9110 15.3.5, 15.3.6, 15.4.5). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Without a body in the fault, the answer is a problem that names the fault. */
function answerOf({ status = 500, retryAfter, body: given, text: fault }: Fault): Answer {
  const detail = `a fault of Patchgate, not an answer of the service: ${fault}`;
  const { headers, body } = problem('injected-fault', status, { detail, fault });
  const own = ['Patchgate-Fault', fault];
  if (retryAfter !== undefined) own.push('Retry-After', String(retryAfter));
  const answer = { status, message: '', from: 'fault' } as const;
  if (BODILESS.has(status)) return { ...answer, headers: own, body: NO_BODY };
  if (given === undefined) return { ...answer, headers: [...headers, ...own], body };
  const isText = typeof given === 'string';
  const bytes = Buffer.from(isText ? given : JSON.stringify(given));
  own.push('Content-Type', isText ? 'text/plain; charset=utf-8' : 'application/json');
  own.push('Content-Length', String(bytes.length), 'Cache-Control', 'no-store');
  return { ...answer, headers: own, body: bytes };
}
