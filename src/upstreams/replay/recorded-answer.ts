import { type Exchange, isInline, type RecordedResponse } from '../../model/exchange.ts';
import { HOP_BY_HOP, type ResponseHead } from '../../model/http.ts';
import { bodyBytes } from '../../recordings/body.ts';
import type { RecordingStore } from '../../recordings/store.ts';

/** A recorded response, ready for the wire. */
export interface RecordedAnswer {
  head: ResponseHead;
  body: Buffer;
}

const NO_BODY = Buffer.alloc(0);

/** Made once for each exchange that is kept in memory with its body. */
const answers = new WeakMap<Exchange, RecordedAnswer>();

/**
 * @param exchange one that has a response, whose body was kept
 * @param bytes those of the body, where they do not stand with the exchange
 */
export function recordedAnswer(exchange: Exchange, bytes: Buffer | undefined): RecordedAnswer {
  const { method } = exchange.request;
  const response = exchange.response as RecordedResponse;
  const { durationMs } = exchange.meta;
  if (bytes) return answerOf(method, response, bytes, durationMs);
  let answer = answers.get(exchange);
  if (answer === undefined) {
    answer = answerOf(method, response, inlineBytes(exchange), durationMs);
    answers.set(exchange, answer);
  }
  return answer;
}

/** The bytes of a response's body that stands with the exchange; none where there is no such body. */
export function inlineBytes({ response }: Exchange): Buffer {
  const body = response?.body;
  return isInline(body) ? bodyBytes(body) : NO_BODY;
}

/** The bytes of a response's body that is in a file of its own; undefined of any other, for which nobody has to wait.
 *  @throws PatchgateError `bad-recording`, `cannot-read` */
export function separateBytes(
  { request, response }: Exchange,
  store: RecordingStore,
): Promise<Buffer> | undefined {
  const body = response?.body;
  return body && 'file' in body ? store.readBody(request.method, request.path, body) : undefined;
}

function answerOf(method: string, response: RecordedResponse, bytes: Buffer, tookMs: number): RecordedAnswer {
  const { status } = response;
  const isHead = method === 'HEAD';
  const hasNoBody = isHead || status === 204 || status === 304;
  const body = hasNoBody ? NO_BODY : bytes;
  const headers: string[] = [];
  for (const [name, value] of Object.entries(response.headers)) {
    // A file that people edit or bring from elsewhere may hold what belongs to another connection.
    if (HOP_BY_HOP.has(name) || (name === 'content-length' && !isHead)) continue;
    for (const one of typeof value === 'string' ? [value] : value) headers.push(name, one);
  }
  if (!hasNoBody) headers.push('content-length', String(body.length));
  return { head: { status, message: '', headers, tookMs }, body };
}
