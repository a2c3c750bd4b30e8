import { header, withoutHeaders } from '../../http/http.ts';
import { type HarHeader, type HarResponse, UNKNOWN_TYPE } from './har.ts';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Headers as on the wire: without HTTP/2's `:method` and the like, with values that came several times apart again
 * (browsers join those of Set-Cookie by line feeds), and other characters than Latin-1 as their UTF-8 bytes.
 */
export function rawHeadersOf(headers: readonly HarHeader[] | null | undefined): string[] {
  const raw: string[] = [];
  for (const { name, value } of headers ?? []) {
    if (!TOKEN.test(name)) continue;
    for (const one of (value ?? '').split(/\r?\n/)) raw.push(name, onTheWire(one));
  }
  return raw;
}

/** Those of a response, as they describe the body that is there. */
export function answeredHeaders(
  response: HarResponse,
  body: Buffer,
  method: string,
  isFile: boolean,
): string[] {
  const headers = rawHeadersOf(response.headers);
  // These describe a body that is not there.
  if (method === 'HEAD') return headers;
  const plain = plainHeaders(headers, body);
  if (body.length === 0) return plain;
  const typed = withType(plain, response.content?.mimeType);
  const isText = !isFile && !response.content?.encoding;
  return isText ? withCharset(typed, body) : typed;
}

/** Tools undo content codings and leave the header. */
export function plainHeaders(headers: readonly string[], body: Buffer): string[] {
  const coding = header(headers, 'content-encoding');
  const isPlain = coding !== undefined && !isStillCoded(body, coding);
  return withoutHeaders(headers, (name) => isPlain && name === 'content-encoding');
}

/** With the media type that stands elsewhere, where no header says it. */
export function withType(headers: string[], type: string | undefined): string[] {
  const isKnown = type && type !== UNKNOWN_TYPE && header(headers, 'content-type') === undefined;
  return isKnown ? [...headers, ...rawHeadersOf([{ name: 'content-type', value: type }])] : headers;
}

/** A location on the same host is kept without it, which recording decides by this header. */
export function withHost(headers: string[], url: URL): string[] {
  return [...withoutHeaders(headers, (name) => name === 'host'), 'host', url.host];
}

/** The text of a body was decoded from its charset: what is not ASCII is UTF-8 from now on. */
function withCharset(headers: string[], body: Buffer): string[] {
  const at = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'content-type');
  const type = headers[at + 1] ?? '';
  const isOther = at >= 0 && /;\s*charset=(?!"?utf-?8\b)/i.test(type);
  if (!isOther || body.every((byte) => byte < 0x80)) return headers;
  return headers.with(at + 1, type.replace(/charset=("[^"]*"|[^\s;]*)/i, 'charset=utf-8'));
}

/** How content codings begin, where it shows. */
const BEGINNINGS: Readonly<Record<string, readonly number[]>> = {
  gzip: [0x1f, 0x8b],
  'x-gzip': [0x1f, 0x8b],
  zstd: [0x28, 0xb5, 0x2f, 0xfd],
};

function isStillCoded(bytes: Buffer, coding: string): boolean {
  const beginning = BEGINNINGS[coding.trim().toLowerCase()];
  return beginning !== undefined && Buffer.from(beginning).equals(bytes.subarray(0, beginning.length));
}

function onTheWire(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no header may have
  const plain = value.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ');
  return /[\u0100-\uffff]/.test(plain) ? Buffer.from(plain, 'utf8').toString('latin1') : plain;
}
