import { isUtf8 } from 'node:buffer';
import type { Verdict } from '../model/finding.ts';
import type { RawHeaders } from '../model/http.ts';
import type { JsonValue } from '../model/json.ts';
import { jsonOf } from '../recordings/body.ts';
import {
  redactBodyStart,
  redactRawHeaders,
  redactUrl,
  wholeCharacters,
} from '../recordings/redaction/redact.ts';
import type { KeptBody, Seen } from './seen.ts';

/**
 * A body without its content codings: as JSON where that loses nothing (no member twice, no number that a double
 * cannot hold), else as text, else in base64.
 */
export type ShownBody = ({ json: JsonValue } | { text: string } | { base64: string }) & {
  /** Bytes that went by. */
  size: number;
  /** There was more than is shown. */
  cut?: true;
};

/** An exchange as the control API shows it, redacted. */
export interface ShownExchange {
  id: number;
  /** ISO 8601, UTC. */
  startedAt: string;
  durationMs: number;
  request: { method: string; url: string; headers: ShownHeaders; body?: ShownBody | undefined };
  /** Absent where the client went away before there was a response. */
  response?: { status: number; headers: ShownHeaders; body?: ShownBody | undefined } | undefined;
  /** Absent where the request was not judged. */
  verdict?: Verdict | undefined;
  answeredBy: Seen['answeredBy'];
  failure?: string | undefined;
}

/** Names in lower case; a name that came several times has a list. */
export type ShownHeaders = Record<string, string | string[]>;

/** Bytes of a body that are shown, once its content codings are undone. */
const BODY_SHOWN = 65_536;

export function showExchange(seen: Seen): ShownExchange {
  const head = showExchangeHead(seen);
  const { request, requestBody, response } = seen;
  return {
    ...head,
    request: { ...head.request, body: showBody(requestBody, request.headers) },
    response: response &&
      head.response && { ...head.response, body: showBody(response.body, response.headers) },
  };
}

/** The same without bodies. */
export function showExchangeHead(seen: Seen): ShownExchange {
  const { id, request, response } = seen;
  return {
    id,
    startedAt: new Date(seen.startedAt).toISOString(),
    durationMs: Math.round(seen.durationMs * 1000) / 1000,
    request: {
      method: request.method,
      url: redactUrl(request.url),
      headers: showHeaders(request.headers),
    },
    response: response && { status: response.status, headers: showHeaders(response.headers) },
    verdict: seen.verdict,
    answeredBy: seen.answeredBy,
    failure: seen.failure,
  };
}

function showHeaders(headers: RawHeaders): ShownHeaders {
  const clean = redactRawHeaders(headers);
  const byName = new Map<string, string[]>();
  for (let i = 0; i < clean.length; i += 2) {
    const name = (clean[i] as string).toLowerCase();
    const values = byName.get(name);
    if (values) values.push(clean[i + 1] as string);
    else byName.set(name, [clean[i + 1] as string]);
  }
  return Object.fromEntries(
    Array.from(byName, ([name, values]) => [name, values.length === 1 ? (values[0] as string) : values]),
  );
}

function showBody(kept: KeptBody, headers: RawHeaders): ShownBody | undefined {
  if (kept.size === 0) return undefined;
  const start = redactBodyStart(Buffer.concat(kept.chunks), headers, BODY_SHOWN);
  const cut = kept.cut || start.cut || start.bytes.length > BODY_SHOWN;
  const bytes = cut ? wholeCharacters(start.bytes.subarray(0, BODY_SHOWN)) : start.bytes;
  const size = { size: kept.size, ...(cut && { cut: true as const }) };
  if (!isUtf8(bytes)) return { base64: bytes.toString('base64'), ...size };
  const text = bytes.toString('utf8');
  const json = cut ? undefined : jsonOf({ text });
  return json === undefined ? { text, ...size } : { json, ...size };
}
