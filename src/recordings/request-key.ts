import { hash } from 'node:crypto';
import type { RecordedRequest } from '../model/exchange.ts';
import type { JsonValue } from '../model/json.ts';
import { jsonOf } from './body.ts';
import { decodePart } from './redact-text.ts';

/**
 * A short name for a request: two requests have the same exactly when matching takes them for one (placeholders aside,
 * which only `differencesOf` understands).
 */
export function requestKey(request: RecordedRequest): string {
  const query = JSON.stringify(queryPairs(request.query).sort(byName));
  const { body } = request;
  let text = '';
  if (body !== undefined) {
    const json = jsonOf(body);
    if (json !== undefined) text = `json ${canonical(json)}`;
    else text = 'base64' in body ? `base64 ${body.base64}` : `text ${(body as { text: string }).text}`;
  }
  return hash('sha1', `${request.method} ${request.path}\n${query}\n${text}`, 'binary');
}

/** Names and values of a query, decoded, in the order sent. `a` and `a=` are the same. */
export function queryPairs(query: string): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  if (query === '') return pairs;
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    pairs.push([decodePart(name), equals < 0 ? '' : decodePart(part.slice(equals + 1))]);
  }
  return pairs;
}

/** Sorting is stable: repeated names keep their order. */
function byName(a: [string, string], b: [string, string]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}

/** The value as JSON with its members sorted. */
function canonical(value: JsonValue): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += text === '' ? canonical(item) : `,${canonical(item)}`;
    return `[${text}]`;
  }
  for (const name of Object.keys(value).sort()) {
    text += `${text === '' ? '' : ','}${quote(name)}:${canonical(value[name] as JsonValue)}`;
  }
  return `{${text}}`;
}

const ODD = /["\\]|[^ -~]/;

/** A text as JSON. Most texts need no escape, and JSON.stringify takes longer than to find that out. */
function quote(text: string): string {
  return ODD.test(text) ? JSON.stringify(text) : `"${text}"`;
}
