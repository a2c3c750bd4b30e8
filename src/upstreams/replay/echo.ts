import { withoutHeaders } from '../../http/http.ts';
import { childOf, type JsonValue } from '../../json/json.ts';
import { tokensOf } from '../../json/pointer.ts';
import type { RecordedAnswer } from '../../recordings/exchange-index.ts';
import type { EchoRule } from '../../settings/define-config.ts';
import { jsonOf } from '../bodies.ts';
import type { UpstreamRequest } from '../upstream.ts';

export type Echo = (request: UpstreamRequest, body: Buffer, answer: RecordedAnswer) => RecordedAnswer;

/**
 * Puts values of a request's body into the recorded answer, in the place of the recorded ones.
 *
 * @param operationOf the operation that a request means
 * @returns undefined if nothing is echoed
 */
export function echoing(
  rules: readonly EchoRule[],
  operationOf: (request: UpstreamRequest) => string | undefined,
): Echo | undefined {
  if (rules.length === 0) return undefined;
  return (request, body, answer) => {
    const operation = operationOf(request);
    const meant = rules.filter((rule) => rule.operation === undefined || rule.operation === operation);
    const sent = meant.length === 0 ? undefined : (request.json ?? jsonOf(body));
    const answered = sent === undefined ? undefined : jsonOf(answer.body);
    const isChanged = meant.map(({ from, to }) => put(answered, to, at(sent, tokensOf(from)))).includes(true);
    if (!isChanged) return answer;
    const text = Buffer.from(JSON.stringify(answered));
    const headers = withoutHeaders(answer.headers, (name) => name === 'content-length');
    return { ...answer, headers: [...headers, 'content-length', String(text.length)], body: text };
  };
}

function at(value: unknown, tokens: readonly string[]): unknown {
  return tokens.reduce<unknown>(childOf, value);
}

/** Replaces what stands at a pointer. Whether something stood there, and a value was given. */
function put(holder: unknown, pointer: string, value: unknown): boolean {
  const tokens = tokensOf(pointer);
  const last = tokens.pop();
  const parent = at(holder, tokens);
  if (value === undefined || last === undefined || childOf(parent, last) === undefined) return false;
  (parent as Record<string, JsonValue>)[last] = value as JsonValue;
  return true;
}
