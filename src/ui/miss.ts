import { childOf, isObject, type JsonValue } from '../json/json.ts';
import { tokensOf } from '../json/pointer.ts';
import type { Miss as ExplainedMiss } from '../recordings/matching/explain-path.ts';
import type { Difference } from '../recordings/matching/shown-value.ts';
import { REDACTED } from '../recordings/redaction/redacted.ts';
import type { ShownExchange } from '../server/show-exchange.ts';

/** Why a recording has no answer: the body of a 501. */
export type Miss = { detail: string; hint?: string } & Pick<
  ExplainedMiss,
  'recording' | 'reason' | 'nearest'
>;

export function missOf({ response }: ShownExchange): Miss | undefined {
  const body = response?.body;
  if (!body || !('json' in body) || !isObject(body.json)) return undefined;
  return body.json.type === 'urn:patchgate:problem:no-recording' ? (body.json as unknown as Miss) : undefined;
}

/**
 * The body of the recorded request: the one that was sent, with what differs as it was recorded. Undefined where the differences do
 * not say it.
 */
export function recordedBody(sent: JsonValue, differences: readonly Difference[]): JsonValue | undefined {
  const root = { body: structuredClone(sent) };
  const inBody = differences.filter(({ place }) => place.startsWith('/'));
  if (differences.some(({ place }) => place === 'body')) return undefined;
  const isExtra = ({ recorded }: Difference) => recorded === undefined;
  // Items go from the last to the first, and come from the first to the last.
  for (const { place, recorded } of [
    ...inBody.filter(isExtra).reverse(),
    ...inBody.filter((one) => !isExtra(one)),
  ]) {
    const was = parsed(recorded);
    const tokens = ['body', ...tokensOf(place)];
    const last = tokens.pop() as string;
    const parent = tokens.reduce<unknown>(childOf, root);
    if (was === NOT_WHOLE || last === '__proto__') return undefined;
    if (Array.isArray(parent)) {
      // Of a list whose order does not matter, the places are not the same.
      const index = Number(last);
      if (was === undefined ? index !== parent.length - 1 : !(index <= parent.length)) return undefined;
      if (was === undefined) parent.pop();
      else parent[index] = was;
    } else if (!isObject(parent)) return undefined;
    else if (was === undefined) delete parent[last];
    else parent[last] = was;
  }
  return root.body;
}

const NOT_WHOLE = Symbol('not whole');

function parsed(text: string | undefined): JsonValue | undefined | typeof NOT_WHOLE {
  if (text === undefined || text === REDACTED) return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return NOT_WHOLE;
  }
}
