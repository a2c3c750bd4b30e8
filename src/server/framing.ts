import type { IncomingMessage } from 'node:http';
import { PatchgateError } from '../errors.ts';
import { byHeaderName, looseHeaderName } from '../http/http.ts';

/** Without a sign or leading zeros, which some read as octal, and small enough for every reader's integers. */
const LENGTH = /^(?:0|[1-9]\d{0,14})$/;
/** A name or an address, with a port: RFC 3986 3.2.2. Empty where the client has none. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'host']);
/** What a header says of the framing: its own name, `odd` where only some servers read it so, or nothing. */
const meaningOf = byHeaderName((name) =>
  FRAMING.has(name) ? name : FRAMING.has(looseHeaderName(name)) ? 'odd' : '',
);

/**
 * What is unclear about where a request begins and ends, in one sentence, or undefined. Node's parser has refused most
 * of it; this is what it lets by and the next server could read differently (RFC 9112 2.3, 3.2, 6.1, 6.2).
 */
export function unclearFraming({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return `it is written in HTTP/${httpVersion}`;
  let host: string | undefined;
  let length: string | undefined;
  let coding: string | undefined;
  let twice: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const value = rawHeaders[i + 1] as string;
    switch (meaningOf(rawHeaders[i] as string)) {
      case 'host':
        if (host !== undefined) twice = 'it has more than one Host';
        host = value;
        break;
      case 'content-length':
        if (length !== undefined) twice ??= 'it has more than one Content-Length';
        length = value;
        break;
      case 'transfer-encoding':
        if (coding !== undefined) twice ??= NOT_CHUNKED;
        coding = value;
        break;
      // To a server that reads names loosely `Transfer_Encoding` would frame the body.
      case 'odd':
        return `some servers read its ${rawHeaders[i]} as another`;
    }
  }
  if (twice !== undefined) return twice;
  if (host === undefined) {
    if (httpVersion === '1.1') return 'it has no Host';
  } else if (!HOST.test(host)) return 'its Host is not well formed';
  if (length !== undefined && !LENGTH.test(length)) return 'its Content-Length is not well formed';
  if (coding === undefined) return undefined;
  if (httpVersion === '1.0') return 'it has a Transfer-Encoding, which HTTP/1.0 does not know';
  if (length !== undefined) return 'it has both Content-Length and Transfer-Encoding';
  // Any other coding would be gone once the chunks are put together, and the body not what it was.
  return coding.trim().toLowerCase() === 'chunked' ? undefined : NOT_CHUNKED;
}

const NOT_CHUNKED = 'its Transfer-Encoding is not simply chunked';

/** What keeps the gate from seeing the request as it was sent. */
export function framingError(req: IncomingMessage): PatchgateError | undefined {
  const unclear = unclearFraming(req);
  return unclear === undefined
    ? undefined
    : new PatchgateError('malformed-request', `the request is ambiguous: ${unclear}`);
}
