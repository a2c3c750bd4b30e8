import type { IncomingMessage } from 'node:http';
import { byHeaderName, looseHeaderName } from '../http/http.ts';

/** Without a sign or leading zeros, which some read as octal, and small enough for every reader's integers. */
const LENGTH = /^(?:0|[1-9]\d{0,14})$/;
/** A name or an address, with a port: RFC 3986 3.2.2. Empty if the client has none. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

type Framing = 'host' | 'content-length' | 'transfer-encoding';
const NAMES: ReadonlySet<string> = new Set<Framing>(['host', 'content-length', 'transfer-encoding']);
/** What a header says of the framing: its own name, `odd` if only some servers read it so, or nothing. */
const meaningOf = byHeaderName((name) => {
  if (NAMES.has(name)) return name as Framing;
  return NAMES.has(looseHeaderName(name)) ? 'odd' : '';
});

/** What Node's parser lets by and the next server could read differently, in one sentence (RFC 9112 2.3, 3.2, 6.1, 6.2). */
export function unclearFraming({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return `it is written in HTTP/${httpVersion}`;
  const values: { [name in Framing]?: string } = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = meaningOf(rawHeaders[i] as string);
    if (name === '') continue;
    // To a server that reads names loosely `Transfer_Encoding` would frame the body.
    if (name === 'odd') return `some servers read its ${rawHeaders[i]} as another`;
    if (values[name] !== undefined) return `it has more than one ${rawHeaders[i]}`;
    values[name] = rawHeaders[i + 1] as string;
  }
  const { host, 'content-length': length, 'transfer-encoding': coding } = values;
  if (host === undefined && httpVersion === '1.1') return 'it has no Host';
  if (host !== undefined && !HOST.test(host)) return 'its Host is not well formed';
  if (length !== undefined && !LENGTH.test(length)) return 'its Content-Length is not well formed';
  if (coding === undefined) return undefined;
  if (httpVersion === '1.0') return 'it has a Transfer-Encoding, which HTTP/1.0 does not know';
  if (length !== undefined) return 'it has both Content-Length and Transfer-Encoding';
  // Any other coding would be gone once the chunks are put together, and the body not what it was.
  return coding.trim().toLowerCase() === 'chunked'
    ? undefined
    : 'its Transfer-Encoding is not simply chunked';
}
