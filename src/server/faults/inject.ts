import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import type { FaultAnswer } from '../../model/fault.ts';
import { NO_BODY } from '../../upstreams/bodies.ts';
import type { Answer } from '../../upstreams/upstream.ts';
import type { Exchange, Step } from '../exchange.ts';
import { hasBody } from '../watch-body.ts';
import type { Fault, FaultsOfRun } from './faults.ts';

type Waits = Pick<FaultsOfRun, 'wait'>;

/** Whether the upstream is not to see the request. */
export function isInstead({ rule }: Fault): boolean {
  return rule.answer !== undefined || rule.reset === true;
}

/** Answers in place of the upstream, once the request is there whole; undefined: the connection is reset. */
export async function answerInstead(fault: Fault, x: Exchange, waits: Waits): Promise<Answer | undefined> {
  const { req, body } = x;
  if (!body && hasBody(req) && !req.readableEnded) await once(req.resume(), 'end');
  await waits.wait(fault, x.signal);
  if (fault.rule.answer) return named(answerOf(fault.rule.answer, fault.text), fault);
  x.reset();
  return undefined;
}

/** The upstream's answer after a wait. */
export async function delayed(answer: Step, fault: Fault, x: Exchange, waits: Waits): Promise<Answer> {
  const whole = named((await answer) as Answer, fault);
  // Most answers are there whole by then, and recorded.
  if (!Buffer.isBuffer(whole.body)) whole.body.read(0);
  await waits.wait(fault, x.signal);
  return whole;
}

/** With the fault in its head. */
function named(answer: Answer, { text }: Fault): Answer {
  return { ...answer, headers: [...answer.headers, 'Patchgate-Fault', text] };
}

/** Answers that never have a body (RFC 9110 15.3.5, 15.3.6, 15.4.5). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function answerOf(answer: FaultAnswer, text: string): Answer {
  const { status, retryAfter } = answer;
  const headers = [
    ...(retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)]),
    ...['Cache-Control', 'no-store'],
  ];
  if (BODILESS.has(status)) return { status, message: '', headers, body: NO_BODY, from: 'fault' };
  const [type, content] = contentOf(answer, text);
  const body = Buffer.from(content);
  headers.push('Content-Type', type, 'Content-Length', String(body.length));
  return { status, message: '', headers, body, from: 'fault' };
}

/** Without a body in the fault, the answer is a problem that names the fault: RFC 9457. */
function contentOf({ status, body }: FaultAnswer, fault: string): [type: string, text: string] {
  if (typeof body === 'string') return ['text/plain; charset=utf-8', body];
  if (body !== undefined) return ['application/json', `${JSON.stringify(body)}\n`];
  const problem = {
    type: 'urn:patchgate:problem:injected-fault',
    title: STATUS_CODES[status] ?? `Status ${status}`,
    status,
    detail: `a fault of Patchgate, not an answer of the service: ${fault}`,
    fault,
  };
  return ['application/problem+json', `${JSON.stringify(problem)}\n`];
}
