import type { Effect } from '../model/effect.ts';
import type { Finding, Verdict } from '../model/finding.ts';
import type { RawHeaders } from '../model/http.ts';
import type { KeptBody } from './kept-body.ts';
import type { Seen } from './seen.ts';

/**
 * An exchange as the list holds it: a few flat texts instead of some forty objects. A thousand of them are held at any
 * time, and what is held is what the garbage collector must move and mark for every request.
 */
export interface PackedExchange {
  id: number;
  startedAt: number;
  durationMs: number;
  method: string;
  url: string;
  verdict: Verdict | undefined;
  answeredBy: Seen['answeredBy'];
  failure: string | undefined;
  fault: string | undefined;
  session: string | undefined;
  requestHeaders: string;
  requestBody: PackedBody;
  /** Undefined: there was no response. */
  status: number | undefined;
  responseHeaders: string;
  responseBody: PackedBody;
  /** Bytes that all this takes, roughly. */
  weight: number;
}

/** Bytes as Latin-1, one to one; the body's whole size where they are not all of it. */
type PackedBody = string | { text: string; size: number };

/** What an exchange takes beside its texts. */
const OVERHEAD = 512;

export function pack(seen: Seen): PackedExchange {
  const { request, response } = seen;
  const verdict = seen.verdict && packVerdict(seen.verdict);
  const requestHeaders = packHeaders(request.headers);
  const responseHeaders = response ? packHeaders(response.headers) : '';
  const requestBody = packBody(seen.requestBody);
  const responseBody = packBody(response?.body);
  return {
    id: seen.id,
    startedAt: seen.startedAt,
    durationMs: seen.durationMs,
    method: request.method,
    url: request.url,
    verdict,
    answeredBy: seen.answeredBy,
    failure: seen.failure,
    fault: seen.fault,
    session: seen.session,
    requestHeaders,
    requestBody,
    status: response?.status,
    responseHeaders,
    responseBody,
    weight:
      OVERHEAD +
      request.url.length +
      requestHeaders.length +
      responseHeaders.length +
      lengthOf(requestBody) +
      lengthOf(responseBody) +
      (verdict ? weightOf(verdict) : 0),
  };
}

export function unpack(packed: PackedExchange): Seen {
  const { method, url, status } = packed;
  return {
    id: packed.id,
    startedAt: packed.startedAt,
    durationMs: packed.durationMs,
    request: { method, url, headers: unpackHeaders(packed.requestHeaders) },
    requestBody: unpackBody(packed.requestBody),
    verdict: packed.verdict,
    answeredBy: packed.answeredBy,
    response:
      status === undefined
        ? undefined
        : { status, headers: unpackHeaders(packed.responseHeaders), body: unpackBody(packed.responseBody) },
    failure: packed.failure,
    fault: packed.fault,
    session: packed.session,
  };
}

/** No header holds a line feed. */
function packHeaders(headers: RawHeaders): string {
  return headers.join('\n');
}

function unpackHeaders(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function packBody(body: KeptBody): PackedBody {
  if (!body) return '';
  return Buffer.isBuffer(body)
    ? body.toString('latin1')
    : { text: body.bytes.toString('latin1'), size: body.size };
}

function unpackBody(packed: PackedBody): KeptBody {
  if (typeof packed === 'string') return packed === '' ? undefined : Buffer.from(packed, 'latin1');
  return { bytes: Buffer.from(packed.text, 'latin1'), size: packed.size };
}

function lengthOf(packed: PackedBody): number {
  return typeof packed === 'string' ? packed.length : packed.text.length;
}

/** Characters of a text of a finding: names in a body, which pointers are made of, can be as long as the body. */
const LONGEST_TEXT = 2000;

function packVerdict(verdict: Verdict): Verdict {
  const { findings, effects } = verdict;
  if (findings.length === 0 && !effects) return verdict;
  return {
    ...verdict,
    findings: findings.map(packFinding),
    ...(effects && { effects: effects.map(packEffect) }),
  };
}

function packEffect(effect: Effect): Effect {
  const packed = { ...effect } as Record<string, unknown>;
  for (const [member, value] of Object.entries(packed))
    if (typeof value === 'string') packed[member] = packText(value);
  return packed as unknown as Effect;
}

function packFinding(finding: Finding): Finding {
  const { pointer, message, hint } = finding;
  return {
    ...finding,
    pointer: packText(pointer),
    message: packText(message),
    ...(hint !== undefined && { hint: packText(hint) }),
  };
}

/** Copied by way of bytes: a text that was cut out of the body keeps all of it in memory. */
function packText(text: string): string {
  const cut = text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
  return Buffer.from(cut, 'utf16le').toString('utf16le');
}

function weightOf({ findings, effects = [] }: Verdict): number {
  let weight = 0;
  for (const { pointer, message, hint = '' } of findings) {
    weight += 200 + 2 * (pointer.length + message.length + hint.length);
  }
  for (const effect of effects) weight += 100 + 2 * JSON.stringify(effect).length;
  return weight;
}
