import { isUtf8 } from 'node:buffer';
import type { RawHeaders } from '../http/http.ts';
import type { JsonValue } from '../json/json.ts';
import { placeAt } from '../json/json-text.ts';
import { type Scan, scanJson } from '../json/scan-json.ts';
import type { Finding } from '../model/finding.ts';
import { checkContentType } from './check-content-type.ts';
import { decodeBody, tooLarge } from './decode-body.ts';
import { HazardFindings } from './hazards.ts';
import { type RequestRule, requestFinding } from './request-rules.ts';
import type { Shape } from './schema-shape.ts';

/** Levels and values that a body may have, design section 3; and names: to read one more costs as much as ten values. */
const LIMITS = { depth: 128, values: 200_000, names: 10_000, pointer: 65_536 };

export interface ReadBody {
  findings: Finding[];
  /** Findings that were counted but are not among these. */
  omitted: number;
  /** The body as text, once its codings are undone. */
  text?: string;
  /** The body as a value, where it is a JSON document within the limits. */
  json?: JsonValue;
}

export interface ReadOptions {
  /** Bytes that the body may have, before and after decoding. */
  limit: number;
  /** What the contract says of its shape. */
  shape: Shape;
  /** Whether an error of a rule blocks the request. */
  blocks(rule: RequestRule): boolean;
}

/**
 * Reads the bytes of a body as JSON, strictly: everything that another reader could see differently is a finding. Of one
 * that a thousand errors block, no value is made.
 */
export function readBody(
  body: Uint8Array | 'too-large',
  headers: RawHeaders,
  { limit, shape, blocks }: ReadOptions,
): ReadBody {
  if (body === 'too-large' || body.length > limit) {
    return only(tooLarge(`the body has more than ${limit} bytes`));
  }
  const findings = checkContentType(headers);
  const decoded = decodeBody(asBuffer(body), headers, limit);
  if ('rule' in decoded)
    return decoded.rule === 'request.too-large'
      ? only(decoded)
      : { findings: [...findings, decoded], omitted: 0 };
  if (!isUtf8(decoded))
    return { findings: [...findings, badJson('the body is not valid UTF-8', '', 0)], omitted: 0 };

  const text = decoded.toString('utf8');
  if (text.startsWith('\uFEFF'))
    return {
      findings: [...findings, badJson('the body starts with a byte order mark', text, 0)],
      omitted: 0,
      text,
    };
  let hazards: HazardFindings | undefined;
  const scan = scanJson(text, LIMITS, (hazard) => {
    hazards ??= new HazardFindings(shape, blocks);
    hazards.add(hazard);
    return !hazards.isEnough;
  });
  if (scan.excess) return only(excessFinding(scan.excess));
  if (scan.error) {
    const { message, offset } = scan.error;
    return { findings: [...findings, badJson(message, text, offset)], omitted: 0, text };
  }
  if (!hazards) return { findings, omitted: 0, text, json: JSON.parse(text) as JsonValue };
  findings.push(...hazards.in(text));
  const { omitted, isEnough } = hazards;
  return { findings, omitted, text, ...(isEnough ? {} : { json: JSON.parse(text) as JsonValue }) };
}

/** A view of the same bytes; a new one only where it must be. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function only(finding: Finding): ReadBody {
  return { findings: [finding], omitted: 0 };
}

function excessFinding({ limit }: NonNullable<Scan['excess']>): Finding {
  const too = {
    depth: `is nested more than ${LIMITS.depth} levels deep`,
    values: `has more than ${LIMITS.values} values`,
    names: `has more than ${LIMITS.names} different names of members`,
    pointer: `has names of members that are longer than ${LIMITS.pointer} characters, alone or from level to level`,
  };
  return requestFinding('request.too-large', `the body ${too[limit]}`);
}

function badJson(message: string, text: string, offset: number): Finding {
  const place = placeAt(text, offset);
  return requestFinding(
    'request.json',
    `the body is no JSON: ${message} (line ${place.line}, column ${place.column})`,
    {
      hint: 'send one JSON document in UTF-8',
      ...place,
    },
  );
}
