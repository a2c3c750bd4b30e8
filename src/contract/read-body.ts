import { isUtf8 } from 'node:buffer';
import { decodeContentSync, MOST_CODINGS } from '../http/decode-content.ts';
import { header, headerValues, type RawHeaders } from '../http/http.ts';
import { type JsonValue, member } from '../json/json.ts';
import { placeAt, placesAt, startInUtf8, syntaxErrorOf } from '../json/json-text.ts';
import { pointerOf } from '../json/pointer.ts';
import { type Hazard, scanJson } from '../json/scan-json.ts';
import type { Finding } from '../model/finding.ts';
import { FindingBounds } from '../model/finding-bounds.ts';
import { type RequestRule, requestFinding } from './request-rules.ts';

const LIMITS = { depth: 128, values: 200_000 };

export interface ReadBody {
  findings: Finding[];
  /** Findings that were counted but are not among these. */
  omitted: number;
  text?: string;
  /** The body as a value, if it is a JSON document within the limits. */
  json?: JsonValue;
}

/** Reads a body as JSON, strictly: everything that another reader could see differently is a finding. */
export function readBody(
  body: Uint8Array | 'too-large',
  headers: RawHeaders,
  /** Bytes that the body may have, before and after decoding. */
  limit: number,
  /** One that the contract lists: it is JSON, whatever its name. */
  mediaType?: string,
): ReadBody {
  if (body === 'too-large' || body.length > limit)
    return only(tooLarge(`the body has more than ${limit} bytes`));
  const findings = checkContentType(headers, mediaType);
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const decoded = decodeBody(bytes, headers, limit);
  if ('rule' in decoded && decoded.rule === 'request.too-large') return only(decoded);
  if ('rule' in decoded) return only(...findings, decoded);
  if (!isUtf8(decoded))
    return only(...findings, badJson('the body is not valid UTF-8', startInUtf8(decoded)));

  const text = decoded.toString('utf8');
  let hazards: HazardFindings | undefined;
  const excess = scanJson(text, LIMITS, (hazard) => {
    hazards ??= new HazardFindings();
    hazards.add(hazard);
  });
  if (excess === 'depth') return only(tooLarge(`the body is nested more than ${LIMITS.depth} levels deep`));
  if (excess) return only(tooLarge(`the body has more than ${LIMITS.values} values`));
  let json: JsonValue;
  try {
    json = JSON.parse(text) as JsonValue;
  } catch {
    const isMarked = text.startsWith('\uFEFF');
    const { message, offset } = syntaxErrorOf(text) ?? { message: 'it cannot be read', offset: 0 };
    const why = isMarked ? 'the body starts with a byte order mark' : message;
    return { ...only(...findings, badJson(why, text, isMarked ? 0 : offset)), text };
  }
  if (hazards) findings.push(...hazards.in(text));
  return { findings, omitted: hazards?.bounds.omitted ?? 0, text, json };
}

const only = (...findings: Finding[]): ReadBody => ({ findings, omitted: 0 });

/** Whether a server that looks for a method in a JSON body (Laravel does, of a POST) could find one there. An unclear body may hold anything. */
export function mayNameMethod(body: Uint8Array | 'too-large', headers: RawHeaders, limit: number): boolean {
  if (body.length === 0) return false;
  const { json, findings } = readBody(body, headers, limit);
  if (json === undefined || findings.some(({ pointer }) => pointer === '/_method')) return true;
  const method = member(json, '_method');
  return typeof method === 'string' && /patch/i.test(method);
}

const tooLarge = (message: string) => requestFinding('request.too-large', message, { hint: 'send less' });

function badJson(why: string, text: string, offset = text.length): Finding {
  const place = placeAt(text, offset);
  const message = `the body is no JSON: ${why} (line ${place.line}, column ${place.column})`;
  return requestFinding('request.json', message, { hint: 'send one JSON document in UTF-8', ...place });
}

const JSON_TYPE = /^(?:application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json)$/i;
/** Between `;`, which may stand in a quoted string too; one that does not end takes all the rest. */
const PARTS = /(?:"(?:[^"\\]|\\.)*"?|[^;])+/g;
const UTF8 = /^charset[ \t]*=[ \t]*(?:utf-?8|"utf-?8")$/i;
/** Words that some reader looks for in the whole value: that of `charset*=`, `xcharset=` and `x="charset=…"` as well. */
const CHARSET = /charset/i;
const FORM = /urlencoded|multipart/i;

/** Whether the type of the body says JSON in UTF-8, and nothing else to any reader. */
function checkContentType(headers: RawHeaders, mediaType: string | undefined): Finding[] {
  const value = header(headers, 'content-type');
  if (value === 'application/json') return [];
  const hint = 'send Content-Type: application/json';
  const finding = (message: string, severity: Finding['severity'] = 'error') => [
    requestFinding('request.content-type', message, { hint, severity }),
  ];
  if (value === undefined || value.trim() === '')
    return finding('Content-Type is missing; the body is judged as JSON', 'warn');
  const [type = '', ...parameters] = value.trim().startsWith(';')
    ? []
    : (value.match(PARTS) ?? []).map((part) => part.trim());
  if (!JSON_TYPE.test(type) && type.toLowerCase() !== mediaType)
    return finding(`Content-Type is ${shown(type)}, not JSON`);
  if (FORM.test(value)) return finding(`Content-Type is JSON, yet some read ${shown(value)} as a form`);
  const charsets = parameters.filter((parameter) => CHARSET.test(parameter.replaceAll('\\', '')));
  if (charsets.length === 0 || (charsets.length === 1 && UTF8.test(charsets[0] as string))) return [];
  return finding(`the charset is not plainly UTF-8: ${charsets.map(shown).join(', ')}`);
}

const shown = (text: string) => JSON.stringify(text.slice(0, 80));

/** For judging only: the bytes are forwarded as sent. */
function decodeBody(body: Buffer, headers: RawHeaders, limit: number): Buffer | Finding {
  const values = headerValues(headers, 'content-encoding');
  if (values.length === 0) return body;
  const bounds = { decoded: limit, growth: Number.POSITIVE_INFINITY, coded: 1, isStrict: true };
  const decoded = decodeContentSync(body, values.join(','), bounds);
  if (Buffer.isBuffer(decoded)) return decoded;
  const { why, what, most } = decoded;
  if (why === 'too-large') return tooLarge(`decoded, the body has more than ${most} bytes`);
  if (why === 'coded-too-large') return tooLarge(`coded with ${what}, the body has more than ${most} bytes`);
  const message = {
    'too-many-codings': `${what} content codings are stacked`,
    'unknown-coding': `the content coding ${JSON.stringify(what)} cannot be undone`,
    broken: `the body is not what Content-Encoding: ${what} says`,
  }[why];
  const hint = `send the body plain, or coded as the header says: gzip, deflate or br, at most ${MOST_CODINGS}`;
  return requestFinding('request.content-encoding', message, { hint });
}

const HAZARDS: Readonly<Record<Hazard['kind'], [says: (what: string) => string, hint: string]>> = {
  'duplicate-key': [
    () => 'is given a second time in the same object',
    'give each name once: servers differ in which one they take',
  ],
  'unsafe-number': [
    (what) => `is ${what}, a number that a double cannot hold exactly`,
    'servers that read numbers as doubles see another value: send it as text, or a smaller one',
  ],
  'unsafe-key': [
    (what) => `is named ${what}${what === 'constructor' ? ' and holds "prototype"' : ''}`,
    'leave it out: in some servers such a member changes other objects',
  ],
};

class HazardFindings {
  readonly bounds = new FindingBounds();
  readonly #findings: Finding[] = [];
  readonly #offsets: number[] = [];

  add({ kind, open, offset, what }: Hazard): void {
    const rule: RequestRule = `request.${kind}`;
    const [says, hint] = HAZARDS[kind];
    let length = 0;
    for (const { token } of open) length += typeof token === 'string' ? token.length : 1;
    if (!this.bounds.takes(rule, 'error', length)) return;
    const pointer = pointerOf(open.map(({ token }) => token));
    this.#findings.push(requestFinding(rule, `${pointer || 'the body'} ${says(what)}`, { pointer, hint }));
    this.#offsets.push(offset);
  }

  in(text: string): Finding[] {
    const places = placesAt(text, this.#offsets);
    return this.#findings.map((finding, index) => ({ ...finding, ...places[index] }));
  }
}
