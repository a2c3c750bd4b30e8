import { childOf, isObject, type JsonValue } from '../../json/json.ts';
import { tokensOf } from '../../json/pointer.ts';

/** Puts a value of the request's body into the recorded answer: JSON Pointers, `/requestId` and `/id`. */
export interface EchoRule {
  from: string;
  to: string;
}

/**
 * An answer's body with what these rules take from the request's; the same bytes where no rule applies. Where other bytes
 * come back, their length is another.
 */
export function echoInto(answer: Buffer, request: JsonValue | undefined, rules: readonly EchoRule[]): Buffer {
  const echoed = rules.map(({ from, to }) => ({
    value: tokensOf(from).reduce<unknown>(childOf, request),
    to: tokensOf(to),
  }));
  if (echoed.every(({ value }) => value === undefined)) return answer;
  const text = answer.toString();
  const body = parsed(text);
  let isChanged = false;
  for (const { value, to } of echoed) {
    const name = to.at(-1);
    const holder = to.slice(0, -1).reduce<unknown>(childOf, body);
    if (value === undefined || name === undefined) continue;
    if (childOf(holder, name) === undefined) continue;
    if (isObject(holder)) holder[name] = value as JsonValue;
    else (holder as JsonValue[])[Number(name)] = value as JsonValue;
    isChanged = true;
  }
  return isChanged ? Buffer.from(JSON.stringify(body, null, /^[{[]\n/.test(text) ? 2 : 0)) : answer;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
