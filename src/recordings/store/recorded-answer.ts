import { HOP_BY_HOP, type RawHeaders, type ResponseHead } from '../../http/http.ts';
import { isInline, type RecordedRequest, type RecordedResponse } from '../../model/exchange.ts';
import { bodyBytes } from '../body.ts';

/** A recorded response, ready for the wire. */
export interface RecordedAnswer extends ResponseHead {
  /** Empty where there is none. */
  body: Buffer;
}

const NO_BODY = Buffer.alloc(0);

/** The bytes of a response's body that stands with the exchange; none where there is no such body. */
export function inlineBytes(response: RecordedResponse | undefined): Buffer {
  const body = response?.body;
  return isInline(body) ? bodyBytes(body) : NO_BODY;
}

/** @param bytes of the body, wherever it is */
export function recordedAnswer(
  { method }: RecordedRequest,
  response: RecordedResponse,
  bytes: Buffer,
  tookMs: number,
): RecordedAnswer {
  const { status } = response;
  const isHead = method === 'HEAD';
  const hasNoBody = isHead || status === 204 || status === 304;
  const body = hasNoBody ? NO_BODY : packed(bytes);
  const headers: string[] = [];
  for (const [name, value] of Object.entries(response.headers)) {
    // A file that people edit or bring from elsewhere may hold what belongs to another connection.
    if (HOP_BY_HOP.has(name) || (name === 'content-length' && !isHead)) continue;
    for (const one of typeof value === 'string' ? [value] : value) headers.push(name, one);
  }
  if (!hasNoBody) headers.push('content-length', String(body.length));
  return { status, message: '', headers: shared(headers), tookMs, body };
}

const BLOCK = 64 * 1024;
const SHORT = 4 * 1024;
let block = NO_BODY;
let used = 0;

/** Short bytes stand one behind the other: each by itself would hold a whole block of Node's buffers in memory. */
export function packed(bytes: Buffer): Buffer {
  if (bytes.length > SHORT) return bytes;
  if (used + bytes.length > block.length) {
    block = Buffer.allocUnsafeSlow(BLOCK);
    used = 0;
  }
  const start = used;
  used += bytes.copy(block, start);
  return block.subarray(start, used);
}

/** Lists of headers that many answers have in common; so many are remembered. */
const MOST_SHARED = 1000;
const lists = new Map<string, RawHeaders>();

/** Of equal lists the one that is in memory already. */
function shared(headers: RawHeaders): RawHeaders {
  // No header holds a line feed.
  const name = headers.join('\n');
  const known = lists.get(name);
  if (known) return known;
  if (lists.size < MOST_SHARED) lists.set(name, headers);
  return headers;
}
