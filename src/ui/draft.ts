import type { Finding, Severity, Verdict } from '../model/finding.ts';
import { REDACTED } from '../recordings/redaction/redacted.ts';
import { amount } from '../reporters/wording.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { headerPairs, isMadeAnew, isRedacted } from './copies.ts';

/** A request as it is written. */
export interface Draft {
  method: string;
  url: string;
  /** `Name: value`, one a line. */
  headers: string;
  body: string;
}

export const EMPTY: Draft = {
  method: 'PATCH',
  url: '',
  headers: 'content-type: application/json',
  body: '',
};

/** An approval is for one request, once. */
const OF_ONE_REQUEST = 'patchgate-approve';

/** An exchange's request, to be sent again, and what there is to know of that. */
export function draftOf({ request }: Pick<ShownExchange, 'request'>): { draft: Draft; notes: string[] } {
  const { method, url, body } = request;
  const wanted = headerPairs(request.headers).filter(([name]) => !isMadeAnew(name));
  const isOut = ([name, value]: [name: string, value: string]) =>
    name === OF_ONE_REQUEST || isRedacted(value);
  const out = [...new Set(wanted.filter(isOut).map(([name]) => name))];
  const headers = wanted.filter((one) => !isOut(one)).map(([name, value]) => `${name}: ${value}`);
  const notes = [
    ...(out.length > 0
      ? [`Left out, since what is secret is not shown: ${out.join(', ')}. Type what is needed.`]
      : []),
    ...(isRedacted(url) ? [`The URL has ${REDACTED} in it: type the value in its place.`] : []),
  ];
  const text = textOf(body, notes);
  return { draft: { method, url, headers: headers.join('\n'), body: text }, notes };
}

function textOf(body: ShownExchange['request']['body'], notes: string[]): string {
  if (!body) return '';
  if (body.cut) {
    notes.push('The body is longer than what is kept of it, so it cannot be sent again. Paste it whole.');
    return '';
  }
  if ('base64' in body) {
    notes.push('The body is no text, so it cannot be sent again from here.');
    return '';
  }
  const text = 'json' in body ? JSON.stringify(body.json, undefined, 2) : body.text;
  if (isRedacted(text)) notes.push(`The body has ${REDACTED} in it: type the values in its place.`);
  return text;
}

/** @returns `wrong`: why the text is no list of headers */
export function readHeaders(text: string): { headers: [name: string, value: string][]; wrong?: string } {
  const headers: [string, string][] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      return { headers, wrong: `line ${index + 1} is no header: write it as Name: value` };
    headers.push([name, value.trim()]);
  }
  return { headers };
}

/** As `POST validate` and `POST send` take it. */
export function requestOf({ method, url, headers, body }: Draft) {
  const request = { method: method.trim(), url: url.trim(), headers: readHeaders(headers).headers };
  return body === '' ? request : { ...request, body };
}

/** Which field an error of the API is about. */
export function fieldOf(message: string): keyof Draft | undefined {
  return /^\/(method|url|headers|body)\b/.exec(message)?.[1] as keyof Draft | undefined;
}

/** @param line from 1. @param column from 1, in UTF-16 code units */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = text.indexOf('\n', start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  return Math.min(text.length, start + column - 1);
}

interface Part {
  text: string;
  /** Offset of its beginning. */
  at: number;
  /** The worst that there is to say of it; absent: nothing. */
  severity?: Severity;
}

/** A text in parts, of which those with findings are the values or names at their places. */
export function markedParts(text: string, findings: readonly Finding[]): Part[] {
  const severities = new Map<number, Severity>();
  for (const { line, column, severity } of findings) {
    if (line === undefined || column === undefined) continue;
    const at = offsetOf(text, line, column);
    if (severities.get(at) !== 'error') severities.set(at, severity);
  }
  const parts: Part[] = [];
  let done = 0;
  for (const [at, severity] of [...severities].sort(([a], [b]) => a - b)) {
    const marked = at < done ? '' : tokenAt(text, at);
    if (marked === '') continue;
    if (at > done) parts.push({ text: text.slice(done, at), at: done });
    parts.push({ text: marked, at, severity });
    done = at + marked.length;
  }
  return done < text.length ? [...parts, { text: text.slice(done), at: done }] : parts;
}

/** A text, number, word or bracket of JSON. */
function tokenAt(text: string, at: number): string {
  const token = /"(?:[^"\\\n]|\\.)*"?|[\w.+-]+|[^\s]/y;
  token.lastIndex = at;
  return token.exec(text)?.[0] ?? '';
}

/** What the dry run says. */
export interface Judged extends Verdict {
  /** False: no operation of the contract concerns it. */
  judged: boolean;
}

/** `Dry run: would be blocked (422), 2 errors, 1 warning` */
export function summaryOf({ judged, outcome, status, findings }: Judged): string {
  if (!judged) return 'Dry run: no operation of the contract concerns it, so it passes unjudged';
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const counts = [
    errors > 0 && amount(errors, 'error'),
    findings.length > errors && amount(findings.length - errors, 'warning'),
  ].filter(Boolean);
  const verdict = outcome === 'block' ? `would be blocked${status ? ` (${status})` : ''}` : 'would pass';
  return [`Dry run: ${verdict}`, ...counts].join(', ');
}
