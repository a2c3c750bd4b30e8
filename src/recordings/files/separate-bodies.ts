import type { Exchange, StoredBody, StoredHeaders } from '../../model/exchange.ts';
import { bodyFileName } from '../body-file.ts';
import { contentTypeOf } from '../redaction/redact.ts';
import { methodPart } from './location.ts';

/** Bytes of a body that is no text and yet stands with its exchange. */
const LONGEST = 4096;
/** What these are in base64, at least. */
const SHORTEST_BASE64 = (LONGEST / 3) * 4;

/**
 * The exchange as its file has it: bodies that nobody can read, and that are long, are in files of their own.
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
  if (body === undefined || !('base64' in body) || body.base64.length < SHORTEST_BASE64) return message;
  const bytes = Buffer.from(body.base64, 'base64');
  if (bytes.length <= LONGEST) return message;
  const file = bodyFileName(methodPart(method), bytes, contentTypeOf(headers));
  put?.(file, bytes);
  return { ...message, body: { file } };
}

/** The names of the files that an exchange has bodies in. */
export function bodyFilesOf({ request, response }: Exchange): string[] {
  return [request.body, response?.body].flatMap((body) => (body && 'file' in body ? [body.file] : []));
}
