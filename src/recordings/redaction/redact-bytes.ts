import { isUtf8 } from 'node:buffer';
import type { InlineBody } from '../../model/exchange.ts';
import { bodyBytes, storeBody } from '../body.ts';
import { withJson } from '../json-style.ts';
import { isCodeType } from './code.ts';
import type { OnFound } from './found-secret.ts';
import { redactJson } from './redact-json.ts';
import { isMultipart, redactMultipart } from './redact-multipart.ts';
import { redactPlain } from './redact-plain.ts';
import { redactPairs, redactText } from './redact-text.ts';
import type { Redaction } from './redaction.ts';

/** Whether the media type is that of forms, whose names stand without quotes. */
export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/x-www-form-urlencoded\b/i.test(contentType);
}

/** The bytes of a body without content codings. Most hold nothing to hide, which one look at them shows. */
export function redactBytes(
  bytes: Buffer,
  contentType: string | undefined,
  redaction: Redaction,
  onFound?: OnFound,
): Buffer {
  if (bytes.length === 0) return bytes;
  const wide = wideEncoding(bytes, contentType);
  if (wide !== undefined) {
    const clean = redactWide(bytes, wide === 'utf-16be', contentType, redaction, onFound);
    // Other bytes have zeros as well: what is no UTF-16 is looked at as it stands.
    if (clean !== bytes) return clean;
  }
  const isParts = isForm(contentType) || isMultipart(contentType);
  if (!isParts && !redaction.mayBeIn(bytes.toString('latin1'))) {
    // Patterns are written for letters, not for their bytes.
    if (redaction.patterns.length === 0) return bytes;
  }
  const stored = storeBody(bytes, contentType) as InlineBody;
  if ('json' in stored) {
    const json = redactJson(stored.json, redaction, onFound);
    return json === stored.json ? bytes : bodyBytes(withJson(stored, json));
  }
  // Bytes that are no UTF-8 are read as Latin-1, where every byte stays what it is.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const clean = redactContent(text, contentType, redaction, onFound);
  return clean === text ? bytes : Buffer.from(clean, encoding);
}

/** The text of a body. */
export function redactContent(
  text: string,
  contentType: string | undefined,
  redaction: Redaction,
  onFound?: OnFound,
): string {
  if (isCodeType(contentType)) return redactPlain(text, redaction, 'body', onFound);
  if (isMultipart(contentType)) return redactMultipart(text, redaction, 'body', onFound);
  const clean = redactText(text, redaction, 'body', onFound);
  // Some tools say so of everything, JSON too: hence after all else.
  return isForm(contentType) ? redactPairs(clean, redaction, 'body', onFound) : clean;
}

/** UTF-16, by its mark, by the zeros of its ASCII characters, or said and with zeros. */
function wideEncoding(bytes: Buffer, contentType: string | undefined): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length < 2) return undefined;
  const first = bytes[0];
  const second = bytes[1];
  if ((first === 0xff && second === 0xfe) || (second === 0 && first !== 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  const said = contentType && /utf-?16(be)?/i.exec(contentType);
  if (!said || !bytes.includes(0)) return undefined;
  return said[1] === undefined ? 'utf-16le' : 'utf-16be';
}

function redactWide(
  bytes: Buffer,
  isBigEndian: boolean,
  contentType: string | undefined,
  redaction: Redaction,
  onFound: OnFound | undefined,
): Buffer {
  // Half a character at the end belongs to none.
  const whole = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  const text = (isBigEndian ? whole.swap16() : whole).toString('utf16le');
  const clean = redactContent(text, contentType, redaction, onFound);
  if (clean === text) return bytes;
  const coded = Buffer.from(clean, 'utf16le');
  return Buffer.concat([isBigEndian ? coded.swap16() : coded, bytes.subarray(whole.length)]);
}
