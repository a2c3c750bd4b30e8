import { isUtf8 } from 'node:buffer';
import { type JsonValue, parseJson } from '../json/json.ts';
import { type ScanLimits, scanJson, UNLIMITED } from '../json/scan-json.ts';
import type { JsonBody, StoredBody } from '../model/exchange.ts';

/** JSON nested deeper is kept as text: a file indents each level, and a string has 512 MiB at most. */
const LIMITS: ScanLimits = { ...UNLIMITED, depth: 24 };

/** Bytes of the longest body in a recording. An exchange with a longer one is not recorded. */
export const RECORD_LIMIT = 16 * 1024 * 1024;

/** A body as a recording keeps it: as JSON only if `bodyBytes` gives these very bytes back, else as text if they are UTF-8, else in base64. */
export function storeBody(bytes: Buffer, contentType: string | undefined): StoredBody | undefined {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) return { base64: bytes.toString('base64') };
  const text = bytes.toString('utf8');
  // A missing Content-Type is taken for JSON, as the gate does.
  const saysJson = contentType === undefined || /json/i.test(contentType);
  return (saysJson ? storeJson(text) : undefined) ?? { text };
}

export function bodyBytes(stored: StoredBody | undefined): Buffer {
  if (stored === undefined) return Buffer.alloc(0);
  if ('base64' in stored) return Buffer.from(stored.base64, 'base64');
  return Buffer.from('text' in stored ? stored.text : jsonText(stored), 'utf8');
}

/** The body as a value, however it is kept. Undefined if it is no JSON, or JSON that readers understand differently. */
export function jsonOf(stored: StoredBody): JsonValue | undefined {
  if ('json' in stored) return stored.json;
  if (!('text' in stored) || !/^[ \t\r\n]*[[{]/.test(stored.text)) return undefined;
  let isClear = true;
  const excess = scanJson(stored.text, LIMITS, () => {
    isClear = false;
  });
  return isClear && !excess ? parseJson(stored.text) : undefined;
}

function storeJson(text: string): StoredBody | undefined {
  const json = parseJson(text);
  if (json === undefined || scanJson(text, LIMITS)) return undefined;
  const indent = /^[[{]\n( {1,10}|\t)\S/.exec(text)?.[1];
  const body: JsonBody = {
    json,
    ...(indent !== undefined && { indent: indent === '\t' ? indent : indent.length }),
    ...(text.endsWith('\n') && { newline: true }),
  };
  return [body, { ...body, spaced: true } as JsonBody].find((one) => jsonText(one) === text);
}

/** `spaced` as Python's json.dumps: a space behind each comma and colon, and ASCII alone. No string has a raw line feed. */
function jsonText({ json, indent, spaced, newline }: JsonBody): string {
  const end = newline ? '\n' : '';
  if (!spaced) return JSON.stringify(json, null, indent) + end;
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = JSON.stringify(json, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '');
  return text.replace(/[\u0080-\uffff]/g, escaped) + end;
}
