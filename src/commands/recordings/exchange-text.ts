import { STATUS_CODES } from 'node:http';
import { type Exchange, headerPairs, type StoredBody, type StoredHeaders } from '../../model/exchange.ts';
import { jsonOf } from '../../recordings/body.ts';
import { printable } from '../../server/printable.ts';
import type { Numbered } from './in-order.ts';
import { ageText, sizeText } from './units.ts';

/** Characters of a body that are shown. */
const BODY_SHOWN = 64 * 1024;

/** `  3  PATCH   200      3d  /api/v2/…`, and behind it the session, where it has a name */
export function exchangeLine({ number, exchange }: Numbered, now: number): string {
  const { method } = exchange.request;
  const outcome = exchange.failure?.kind ?? String(exchange.response?.status);
  const { recordedAt, session } = exchange.meta;
  const age = ageText(Date.parse(recordedAt), now);
  const named = session === undefined ? '' : `  [${printable(session)}]`;
  return `${String(number).padStart(5)}  ${printable(method).padEnd(6)}  ${outcome.padEnd(9)}  ${age.padStart(4)}  ${urlOf(exchange)}${named}\n`;
}

/** Request and response with headers and bodies; JSON indented, however it was sent. */
export function exchangeText({ number, exchange }: Numbered, now: number): string {
  const { request, response, failure, meta } = exchange;
  const age = ageText(Date.parse(meta.recordedAt), now);
  const when = `recorded ${printable(meta.recordedAt)} (${age === 'now' ? 'just now' : `${age} ago`})`;
  const named = meta.session === undefined ? '' : `, in the session ${JSON.stringify(meta.session)}`;
  const lines = [
    `#${number}  ${when}, took ${meta.durationMs} ms${named}`,
    `${printable(request.method)} ${urlOf(exchange)}`,
    ...messageLines(request.headers, request.body),
    '',
  ];
  if (failure) lines.push(`the target failed: ${failure.kind}`);
  if (response) {
    lines.push(`${response.status} ${STATUS_CODES[response.status] ?? ''}`.trimEnd());
    lines.push(...messageLines(response.headers, response.body));
  }
  return `${lines.join('\n')}\n\n`;
}

function urlOf({ request: { path, query } }: Exchange): string {
  return printable(query === '' ? path : `${path}?${query}`);
}

function messageLines(headers: StoredHeaders, body: StoredBody | undefined): string[] {
  const lines = headerPairs(headers).map(([name, value]) => printable(`${name}: ${value}`));
  return body ? [...lines, '', ...bodyLines(body)] : lines;
}

function bodyLines(body: StoredBody): string[] {
  if ('omitted' in body) return [`(${sizeText(body.omitted)}, not kept)`];
  if ('file' in body) return [`(in the file ${printable(body.file)})`];
  if ('base64' in body) return [`(${sizeText(Buffer.byteLength(body.base64, 'base64'))} that are no text)`];
  const json = jsonOf(body);
  const text = json === undefined ? (body as { text: string }).text : JSON.stringify(json, null, 2);
  const shown = text.slice(0, BODY_SHOWN).split('\n').map(printable);
  const rest = text.length - BODY_SHOWN;
  return rest > 0 ? [...shown, `… and ${rest} more characters: --format json shows all`] : shown;
}
