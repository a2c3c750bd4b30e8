import { hash } from 'node:crypto';
import type { RecordedRequest, StoredBody } from '../../model/exchange.ts';
import type { JsonValue } from '../../model/json.ts';
import { jsonOf } from '../body.ts';
import { hashInName, hashOf } from '../body-file.ts';
import { decodePart } from '../redaction/decode-part.ts';

/**
 * A short name for a request: two requests have the same exactly when matching takes them for one (placeholders aside,
 * which only `matches` understands).
 */
export function requestKey(request: RecordedRequest): string {
  return requestKeyWith(request, request.body && jsonOf(request.body));
}

/** @param json what `jsonOf` gives for the body */
export function requestKeyWith(
  { method, path, query, body }: RecordedRequest,
  json: JsonValue | undefined,
): string {
  const pairs = JSON.stringify(queryPairs(query).sort(byName));
  let text = '';
  if (json !== undefined) text = `json ${canonical(json)}`;
  else if (body !== undefined) {
    text = 'text' in body ? `text ${body.text}` : bytesName(body);
  }
  return hash('sha1', `${method} ${path}\n${pairs}\n${text}`, 'binary');
}

/** The same for all requests of one key, and for few others: made at a fraction of the cost. */
export function bodySize(body: StoredBody | undefined, json: JsonValue | undefined): string {
  if (json !== undefined) return `json ${sizeOf(json)}`;
  if (body === undefined) return '';
  return 'text' in body ? `text ${body.text.length}` : bytesName(body);
}

/** Of a body that is no text, wherever its bytes are. One that was not kept is like no other. */
function bytesName(body: StoredBody): string {
  if ('base64' in body) return `bytes ${hashOf(Buffer.from(body.base64, 'base64'))}`;
  return 'file' in body ? `bytes ${hashInName(body.file)}` : 'omitted';
}

/** Values, and characters of names and texts. */
function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return 1 + value.length;
  let size = 1;
  if (typeof value !== 'object' || value === null) return size;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item);
  else for (const name in value) size += name.length + sizeOf(value[name] as JsonValue);
  return size;
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

/** The values of each name of a query, decoded, in the order sent. */
export function queryValues(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of queryPairs(query)) {
    const list = values.get(name);
    if (list) list.push(value);
    else values.set(name, [value]);
  }
  return values;
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
