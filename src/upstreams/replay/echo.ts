import { withoutHeaders } from '../../http/http.ts';
import { childOf, isObject, type JsonValue } from '../../json/json.ts';
import { tokensOf } from '../../json/pointer.ts';
import type { RecordedAnswer } from '../../recordings/exchange-index.ts';
import type { EchoRule } from '../../settings/define-config.ts';
import type { UpstreamRequest } from '../upstream.ts';

/**
 * Puts values of a request's body into the recorded answer, in the place of the recorded ones.
 *
 * @param operationOf the operation that a request means
 * @returns undefined where nothing is echoed
 */
export function echoing(
  rules: readonly EchoRule[],
  operationOf: (request: UpstreamRequest) => string | undefined,
): Echo | undefined {
  if (rules.length === 0) return undefined;
  return (request, body, answer) => {
    const operation = operationOf(request);
    const meant = rules.filter((rule) => rule.operation === undefined || rule.operation === operation);
    const sent = meant.length === 0 ? undefined : (request.json ?? parsed(body));
    const answered = sent === undefined ? undefined : parsed(answer.body);
    if (answered === undefined) return answer;
    const isChanged = meant.map((rule) => put(answered, rule.to, at(sent, rule.from))).includes(true);
    if (!isChanged) return answer;
    const text = Buffer.from(JSON.stringify(answered));
    const headers = withoutHeaders(answer.headers, (name) => name === 'content-length');
    return { ...answer, headers: [...headers, 'content-length', String(text.length)], body: text };
  };
}

export type Echo = (request: UpstreamRequest, body: Buffer, answer: RecordedAnswer) => RecordedAnswer;

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

function at(value: unknown, pointer: string): unknown {
  return tokensOf(pointer).reduce<unknown>(childOf, value);
}

/** Replaces what stands at a pointer. Whether something stood there, and a value was given. */
function put(holder: unknown, pointer: string, value: unknown): boolean {
  const tokens = tokensOf(pointer);
  const last = tokens.pop();
  const parent = tokens.reduce<unknown>(childOf, holder);
  if (value === undefined || last === undefined || childOf(parent, last) === undefined) return false;
  if (isObject(parent) || Array.isArray(parent))
    (parent as Record<string, JsonValue>)[last] = value as JsonValue;
  return true;
}
