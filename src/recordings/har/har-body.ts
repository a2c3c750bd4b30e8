import { isForm } from '../redaction/redact-bytes.ts';
import type { HarBody, HarRequest, HarResponse } from './har.ts';

/** A body's bytes; undefined where the archive has only heard of it. */
export type Found = Buffer | undefined;

const NO_BYTES = Buffer.alloc(0);

/**
 * The bytes of a request's body. Of a form, of which some tools keep the fields alone, they are made anew.
 *
 * @param type its media type, by the header
 * @param attached what stands in a file beside the archive
 */
export function postedBytes(
  { postData, bodySize = 0 }: HarRequest,
  type: string | undefined,
  attached: Found,
): Found {
  const found = postData ? bytesOf(postData, attached) : undefined;
  const params = postData?.params ?? [];
  if (found !== undefined && (found.length > 0 || params.length === 0)) return found;
  if (params.length > 0) return isForm(type) ? Buffer.from(formOf(params)) : undefined;
  return bodySize > 0 ? undefined : NO_BYTES;
}

/** Those of a response's. Browsers leave out what came from their cache. */
export function answeredBytes(response: HarResponse, attached: Found): Found {
  const { content, status, bodySize = -1 } = response;
  const found = content && bytesOf(content, attached);
  if (found !== undefined) return found;
  const size = content?.size ?? -1;
  if (size === 0) return NO_BYTES;
  // Where no size is known either, only a status of success promises a body.
  const hasBody = size > 0 || (bodySize !== 0 && status < 300 && status !== 204 && status !== 205);
  return hasBody ? undefined : NO_BYTES;
}

function bytesOf(body: HarBody, attached: Found): Found {
  if (attached) return attached;
  if (typeof body.text !== 'string') return undefined;
  const isBase64 = (body.encoding ?? body._encoding ?? '').toLowerCase() === 'base64';
  return Buffer.from(body.text, isBase64 ? 'base64' : 'utf8');
}

function formOf(params: readonly { name: string; value?: string | null }[]): string {
  return params.map(({ name, value }) => `${formPart(name)}=${formPart(value ?? '')}`).join('&');
}

/** Some tools have decoded the fields, some have not. */
function formPart(text: string): string {
  if (/%[0-9a-f]{2}/i.test(text) && !/[^\w.~*+%-]/.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+');
}
