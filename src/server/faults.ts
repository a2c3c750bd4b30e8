import { once } from 'node:events';
import { METHODS } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type ErrorCode, PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import { type RequestHead, splitTarget } from '../http/http.ts';
import { nameMatcher } from '../model/name-pattern.ts';
import { nearest } from '../model/nearest.ts';
import { type FaultRule, type FaultsGiven, readGivenFaults } from '../settings/faults.ts';
import { NO_BODY } from '../upstreams/bodies.ts';
import type { Answer, Session } from '../upstreams/upstream.ts';
import { reset, type Step } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { problem } from './problem.ts';

/** One way in which answers fail, how many requests it fitted, and for how many of them it held. */
interface Fault extends FaultRule {
  fits: (path: string) => boolean;
  matched: number;
  applied: number;
  /** How often it held in each session. */
  used: WeakMap<Session, number>;
}

export type Faults = ReturnType<typeof createFaults>;

/**
 * What makes answers fail.
 *
 * @param start those of the start, which a reset brings back
 * @param stopping ends all waiting
 * @throws PatchgateError `bad-usage` if one of the start can never happen here
 */
export function createFaults(gate: Gate, start: readonly FaultRule[], stopping: AbortSignal) {
  const { operations, operationOf } = gate;
  let faults = begun(start, 'bad-usage');

  /** @throws PatchgateError with that code, naming the fault that can never happen */
  function begun(rules: readonly FaultRule[], code: ErrorCode): Fault[] {
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
      return { ...rule, fits, matched: 0, applied: 0, used: new WeakMap() };
    });
  }

  async function wait({ latency }: Fault, { client }: Exchange): Promise<void> {
    if (!latency?.to) return;
    const ms = latency.from + Math.random() * (latency.to - latency.from);
    const signal = AbortSignal.any([client.gone.signal, stopping]);
    await setTimeout(ms, undefined, { signal }).catch(() => undefined);
  }

  return {
    /** What happens to the answer to a request that passed the gate: the first fault that fits, and holds this time. */
    choose(session: Session, head: RequestHead): Fault | undefined {
      return faults.find((fault) => {
        const { method = head.method, operation, fits, count, rate = 1, used } = fault;
        if (method !== head.method || !fits(splitTarget(head.url).path)) return false;
        if (operation !== undefined && operation !== operationOf(head)) return false;
        fault.matched++;
        const times = used.get(session) ?? 0;
        if (times === count || Math.random() >= rate) return false;
        used.set(session, times + 1);
        fault.applied++;
        return true;
      });
    },

    /** Answers in the place of the upstream, once the request is there whole; undefined: the connection is reset. */
    async answer(fault: Fault, x: Exchange): Promise<Answer | undefined> {
      if (!x.body && !x.req.readableEnded) await once(x.req.resume(), 'end');
      await wait(fault, x);
      return fault.reset ? reset(x) : answerOf(fault);
    },

    async delay(fault: Fault, answer: Step, x: Exchange): Promise<Answer> {
      const { headers, body, ...whole } = (await answer) as Answer;
      // Most answers are there whole by then, and recorded.
      if (!Buffer.isBuffer(body)) body.read(0);
      await wait(fault, x);
      return { ...whole, body, headers: [...headers, 'Patchgate-Fault', fault.text] };
    },

    /** Replaces the faults; counts begin anew. @throws PatchgateError `bad-input`, naming the fault */
    set(given: FaultsGiven): void {
      faults = begun(readGivenFaults(given), 'bad-input');
    },

    list: () => faults.map(({ text: fault, matched, applied }) => ({ fault, matched, applied })),

    reset(): void {
      faults = begun(start, 'bad-usage');
    },
  };
}

/** Answers that never have a body (RFC 9110 15.3.5, 15.3.6, 15.4.5). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Without a body in the fault, the answer is a problem that names the fault. */
function answerOf({ status = 500, retryAfter, body: given, text: fault }: Fault): Answer {
  const answer = { status, message: '', from: 'fault' } as const;
  const own = ['Patchgate-Fault', fault];
  if (retryAfter !== undefined) own.push('Retry-After', String(retryAfter));
  if (BODILESS.has(status)) return { ...answer, headers: own, body: NO_BODY };
  if (given === undefined) {
    const detail = `a fault of Patchgate, not an answer of the service: ${fault}`;
    const { headers, body } = problem('injected-fault', status, { detail, fault });
    return { ...answer, headers: [...headers, ...own], body };
  }
  const isText = typeof given === 'string';
  const bytes = Buffer.from(isText ? given : JSON.stringify(given));
  own.push('Content-Type', isText ? 'text/plain; charset=utf-8' : 'application/json');
  own.push('Content-Length', String(bytes.length), 'Cache-Control', 'no-store');
  return { ...answer, headers: own, body: bytes };
}
