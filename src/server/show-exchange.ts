import { isUtf8 } from 'node:buffer';
import type { RawHeaders } from '../http/http.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import type { StoredHeaders } from '../model/exchange.ts';
import type { Verdict } from '../model/finding.ts';
import { withShortTexts } from '../model/short-text.ts';
import { jsonOf } from '../recordings/body.ts';
import { valuesByName } from '../recordings/plain-exchange.ts';
import {
  redactBodyStart,
  redactEffect,
  redactHeaders,
  redactText,
  redactUrl,
  wholeCharacters,
} from '../recordings/redact/redact.ts';
import { hidingEchoes, type Redaction } from '../recordings/redact/redaction.ts';
import type { BodyToShow, FinishedExchange } from './exchange.ts';

/**
 * A body without its content codings: as JSON if that loses nothing (no member twice, no number that a double
 * cannot hold), else as text, else in base64.
 */
export type ShownBody = ({ json: JsonValue } | { text: string } | { base64: string }) & {
  /** Bytes that went by. */
  size: number;
  /** There was more than is shown. */
  cut?: true;
};

/** An exchange as the control API shows it, redacted. What there is not is absent. */
export interface ShownExchange
  extends Pick<
    FinishedExchange,
    'id' | 'durationMs' | 'verdict' | 'unguarded' | 'answeredBy' | 'failure' | 'fault'
  > {
  /** ISO 8601, UTC. */
  startedAt: string;
  session?: string | undefined;
  request: { method: string; url: string; headers: StoredHeaders; body?: ShownBody | undefined };
  response?: { status: number; headers: StoredHeaders; body?: ShownBody | undefined } | undefined;
  /** The record of a judged request as it was last read. `GET exchanges/:id` alone has it. */
  known?: JsonObject | undefined;
}

/** Bytes of a body that are shown, once its content codings are undone. */
const BODY_SHOWN = 65_536;
/** Characters of a text of a finding or effect that are shown. */
export const LONGEST_TEXT = 2000;

/** Hides secret headers wherever they stand. */
export function showExchange(x: FinishedExchange, own: Redaction, bodies = true): ShownExchange {
  const redaction = hidingEchoes(own, x.request.headers, x.response?.headers ?? []);
  const { id, request, response, verdict, failure, session } = x;
  const bodyOf = (body: BodyToShow | undefined, headers: RawHeaders) =>
    bodies ? showBody(body, headers, redaction) : undefined;
  return {
    id,
    startedAt: new Date(x.startedAt).toISOString(),
    durationMs: Math.round(x.durationMs * 1000) / 1000,
    request: {
      method: request.method,
      url: redactUrl(request.url, redaction),
      headers: showHeaders(request.headers, redaction),
      body: bodyOf(x.requestBody, request.headers),
    },
    response: response && {
      status: response.status,
      headers: showHeaders(response.headers, redaction),
      body: bodyOf(response.body, response.headers),
    },
    verdict: verdict && showVerdict(verdict, redaction),
    unguarded: x.unguarded,
    answeredBy: x.answeredBy,
    failure: failure && redactText(failure, redaction),
    fault: x.fault,
    session: session?.name || undefined,
  };
}

function showVerdict(verdict: Verdict, redaction: Redaction): Verdict {
  if (verdict.findings.length === 0 && !verdict.effects) return verdict;
  const effects = verdict.effects?.map((effect) => redactEffect(effect, redaction));
  return withShortTexts({ ...verdict, ...(effects && { effects }) }, LONGEST_TEXT);
}

function showHeaders(headers: RawHeaders, redaction: Redaction): StoredHeaders {
  const clean = redactHeaders(headers, redaction);
  return valuesByName(clean.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text)));
}

function showBody(
  kept: BodyToShow | undefined,
  headers: RawHeaders,
  redaction: Redaction,
): ShownBody | undefined {
  if (!kept?.size) return undefined;
  const isCut = kept.bytes.length < kept.size;
  const start = redactBodyStart(kept.bytes, headers, BODY_SHOWN, isCut, redaction);
  const cut = start.cut || start.bytes.length > BODY_SHOWN;
  const bytes = cut ? wholeCharacters(start.bytes.subarray(0, BODY_SHOWN)) : start.bytes;
  const size = { size: kept.size, ...(cut && { cut: true as const }) };
  if (!isUtf8(bytes)) return { base64: bytes.toString('base64'), ...size };
  const text = bytes.toString('utf8');
  const json = cut ? undefined : jsonOf({ text });
  return json === undefined ? { text, ...size } : { json, ...size };
}
