import type { Exchange, StoredBody, StoredHeaders } from '../../model/exchange.ts';
import { jsonOf } from '../body.ts';
import { bodyFileName } from '../body-file.ts';
import { contentTypeOf } from '../redaction/redact.ts';
import { REDACTED } from '../redaction/redacted.ts';
import { methodPart } from './location.ts';

/** Bytes of a body that is no text and yet stands with its exchange. */
const LONGEST = 4096;
/** What these are in base64, at least. */
const SHORTEST_BASE64 = (LONGEST / 3) * 4;
/** Bytes of a text that is in a file of its own. */
const LONG_TEXT = 1024 * 1024;

/**
 * The exchange as its file has it: long bodies are in files of their own. The text of a request stays where matching compares more
 * than its bytes.
 *
 * @param put is given each of these files
 */
export function separateBodies(exchange: Exchange, put?: (name: string, bytes: Buffer) => void): Exchange {
  const { request, response } = exchange;
  const { method } = request;
  const asked = separateBody(request, method, put);
  const answered = response && separateBody(response, method, put);
  if (asked === request && answered === response) return exchange;
  return { ...exchange, request: asked, ...(answered && { response: answered }) };
}

function separateBody<Message extends { headers: StoredHeaders; body?: StoredBody }>(
  message: Message,
  method: string,
  put: ((name: string, bytes: Buffer) => void) | undefined,
): Message {
  const { body, headers } = message;
  const bytes = body && longBytes(body, 'status' in message);
  if (!body || !bytes) return message;
  const file = bodyFileName(methodPart(method), bytes, contentTypeOf(headers), 'text' in body);
  put?.(file, bytes);
  return { ...message, body: { file } };
}

/** Undefined where the body stands with its exchange. */
function longBytes(body: StoredBody, isAnswer: boolean): Buffer | undefined {
  if ('text' in body) {
    const { text } = body;
    if (text.length * 3 < LONG_TEXT || Buffer.byteLength(text) < LONG_TEXT) return undefined;
    const isCompared = !isAnswer && (text.includes(REDACTED) || jsonOf(body) !== undefined);
    return isCompared ? undefined : Buffer.from(text);
  }
  if (!('base64' in body) || body.base64.length < SHORTEST_BASE64) return undefined;
  const bytes = Buffer.from(body.base64, 'base64');
  return bytes.length > LONGEST ? bytes : undefined;
}

/** The names of the files that an exchange has bodies in. */
export function bodyFilesOf({ request, response }: Exchange): string[] {
  return [request.body, response?.body].flatMap((body) => (body && 'file' in body ? [body.file] : []));
}
