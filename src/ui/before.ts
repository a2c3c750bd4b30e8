import { childOf, isObject, type JsonValue, member } from '../json/json.ts';
import { tokensOf } from '../json/pointer.ts';
import type { Approval } from '../model/approval.ts';
import { losesEnvironment } from '../model/effect.ts';
import type { Difference } from '../recordings/explain.ts';
import { REDACTED } from '../recordings/redact/redacted.ts';
import type { ShownBody, ShownExchange } from '../server/show-exchange.ts';
import { get, loadExchange } from './api.ts';

/** The document that the body of a request is compared with. */
export interface Before {
  /** `Known now` */
  name: string;
  document: JsonValue;
}

export async function findBefore(exchange: ShownExchange): Promise<Before | undefined> {
  const { id, request, verdict } = exchange;
  const sent = jsonIn(request.body);
  if (sent === undefined) return undefined;
  const differences = missOf(exchange)?.nearest?.differences;
  if (differences) return named('Recorded', recordedBody(sent, differences));
  if (verdict?.outcome === 'pass') {
    if (!verdict.effects?.some(losesEnvironment)) return undefined;
    // The 409 before the approval had all environments.
    const { approvals } = await get<{ approvals: Approval[] }>('approvals?status=used');
    const isThis = (one: Approval) =>
      one.method === request.method && one.url === request.url && (one.exchange ?? id) < id;
    const blocked = approvals.find(isThis)?.exchange;
    return blocked === undefined ? undefined : named('Before', correctedOf(await loadExchange(blocked)));
  }
  const corrected = correctedOf(exchange);
  if (verdict?.problem !== 'destructive-change' && corrected === undefined) return undefined;
  return named('Known now', exchange.known) ?? named('Corrected', corrected);
}

const named = (name: string, document: JsonValue | undefined): Before | undefined =>
  document === undefined ? undefined : { name, document };

export const jsonIn = (body: ShownBody | undefined): JsonValue | undefined =>
  body && 'json' in body ? body.json : undefined;

/** The body that would have passed, as the 409 has it. */
export function correctedOf({ verdict, response }: ShownExchange): JsonValue | undefined {
  return verdict?.outcome === 'block' ? member(jsonIn(response?.body), 'corrected') : undefined;
}

/** Why a recording has no answer: the body of a 501. */
export interface Miss {
  detail: string;
  hint?: string;
  nearest?: {
    method: string;
    path: string;
    query?: string;
    differences?: Difference[];
  };
}

export function missOf({ response }: ShownExchange): Miss | undefined {
  const problem = jsonIn(response?.body);
  return member(problem, 'type') === 'urn:patchgate:problem:no-recording'
    ? (problem as unknown as Miss)
    : undefined;
}

/** The recorded body: the one that was sent, with each difference as recorded. Undefined if the differences do not say all of it. */
export function recordedBody(sent: JsonValue, differences: readonly Difference[]): JsonValue | undefined {
  const root = { body: structuredClone(sent) };
  const inBody = differences.filter(({ place }) => place.startsWith('/'));
  const isExtra = ({ recorded }: Difference) => recorded === undefined;
  if (inBody.length === 0 || differences.some(({ place }) => place === 'body')) return undefined;
  // Items go from the last to the first, and come from the first to the last.
  for (const { place, recorded } of [
    ...inBody.filter(isExtra).reverse(),
    ...inBody.filter((one) => !isExtra(one)),
  ]) {
    const tokens = ['body', ...tokensOf(place)];
    const last = tokens.pop() as string;
    const parent = tokens.reduce<unknown>(childOf, root);
    try {
      const was = recorded === undefined || recorded === REDACTED ? recorded : JSON.parse(recorded);
      if (Array.isArray(parent)) parent.splice(Number(last), 1, ...(was === undefined ? [] : [was]));
      else if (!isObject(parent)) return undefined;
      else if (was === undefined) delete parent[last];
      else
        Object.defineProperty(parent, last, {
          value: was,
          enumerable: true,
          configurable: true,
          writable: true,
        });
    } catch {
      // The value was cut.
      return undefined;
    }
  }
  return root.body;
}
