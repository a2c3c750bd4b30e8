import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../json/json.ts';
import { scanJson, UNLIMITED } from '../json/scan-json.ts';
import type { InlineBody, StoredBody } from '../model/exchange.ts';
import { jsonText, writingOf } from './json-style.ts';

/** JSON nested deeper is kept as text: in a file, where each level is indented, it would grow with the depth's square. */
export const MAX_JSON_DEPTH = 128;

const NO_BYTES = Buffer.alloc(0);

/**
 * A body as a recording keeps it: as JSON only where `bodyBytes` gives these very bytes back, else as text where they
 * are valid UTF-8, else in base64. Undefined where there are no bytes.
 *
 * @param parsed the bytes as a value, where they are parsed already
 */
export function storeBody(
  bytes: Buffer,
  contentType: string | undefined,
  parsed?: JsonValue,
): InlineBody | undefined {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) return { base64: bytes.toString('base64') };
  const text = bytes.toString('utf8');
  return (saysJson(contentType) ? storeJson(text, parsed) : undefined) ?? { text };
}

/** The bytes of a body that stands with its exchange; none where there is no body. */
export function bodyBytes(stored: InlineBody | undefined): Buffer {
  if (stored === undefined) return NO_BYTES;
  if ('base64' in stored) return Buffer.from(stored.base64, 'base64');
  if ('text' in stored) return Buffer.from(stored.text, 'utf8');
  return Buffer.from(jsonText(stored), 'utf8');
}

/** The body as a value, however it is kept. Undefined where it is no JSON, or JSON that readers understand differently. */
export function jsonOf(stored: StoredBody): JsonValue | undefined {
  if ('json' in stored) return stored.json;
  if (!('text' in stored) || !/^[ \t\r\n]*[[{]/.test(stored.text)) return undefined;
  const scan = scanJson(stored.text, { ...UNLIMITED, depth: MAX_JSON_DEPTH });
  if (scan.error || scan.excess || scan.hazardCount > 0) return undefined;
  return JSON.parse(stored.text) as JsonValue;
}

export function isDeeperThan(levels: number, value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(levels - 1, item));
  for (const name in value) if (isDeeperThan(levels - 1, value[name] as JsonValue)) return true;
  return false;
}

/** A missing Content-Type is taken for JSON, as the gate does. */
export function saysJson(contentType: string | undefined): boolean {
  return contentType === undefined || /json/i.test(contentType);
}

function storeJson(text: string, parsed: JsonValue | undefined): InlineBody | undefined {
  const value = parsed === undefined ? parse(text) : parsed;
  if (value === undefined || isDeeperThan(MAX_JSON_DEPTH, value)) return undefined;
  const newline = text.endsWith('\n');
  const indent = /^[[{]\n( {1,10}|\t)\S/.exec(text)?.[1];
  if (JSON.stringify(value, null, indent) === (newline ? text.slice(0, -1) : text)) {
    return {
      json: value,
      ...(indent !== undefined && { indent: indent === '\t' ? indent : indent.length }),
      ...(newline && { newline }),
    };
  }
  const styled = { json: value, ...writingOf(text) };
  return jsonText(styled) === text ? styled : undefined;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // It says JSON and is none: kept as the text that it is.
    return undefined;
  }
}
