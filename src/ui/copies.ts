import { HOP_BY_HOP, splitTarget } from '../http/http.ts';
import { REDACTED } from '../recordings/redaction/redacted.ts';
import { UNPRINTABLE } from '../reporters/wording.ts';
import type { ShownBody, ShownExchange } from '../server/show-exchange.ts';
import { textOf } from './json-lines.ts';

/** A text to copy, and what it lacks of the exchange, in sentences. */
export interface Copy {
  text: string;
  notes: string[];
}

/** Whether a header is of the connection, or of the body's bytes as they were. */
export function isMadeAnew(name: string): boolean {
  return HOP_BY_HOP.has(name) || /^(?:host|content-length|content-encoding|expect)$/.test(name);
}

/** As a curl command for any POSIX shell. What is redacted stays so. @param gateUrl where to send it: not to where the client's words lead */
export function curlOf({ request }: ShownExchange, gateUrl: string): Copy {
  const { method, headers, body } = request;
  const kept = headerPairs(headers).filter(([name]) => !isMadeAnew(name) && name !== 'accept-encoding');
  const path = originForm(request.url);
  const url = gateUrl + path.replace(UNPRINTABLE, inPercent);
  const notes = notesOf(request);
  if (path.search(UNPRINTABLE) >= 0)
    notes.push('Control and format characters in the URL are written with %, which the client did not do.');
  const words = [
    'curl',
    ...(method === 'GET' && !body ? [] : [`-X ${quoted(method)}`]),
    // Curl would resolve dot segments, and take brackets for ranges.
    ...(/\/\.{1,2}(?:[/?]|$)/.test(url) ? ['--path-as-is'] : []),
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    quoted(url),
  ];
  const lines = [words.join(' ')];
  const out = new Set<string>();
  for (const [name, value] of kept)
    if (value.search(UNPRINTABLE) >= 0) out.add(`the header ${name}`);
    else lines.push(`-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`);
  const data = body && !('base64' in body) ? printableBody(bodyText(body)) : undefined;
  if (body && !('base64' in body) && data === undefined) out.add('the body');
  if (out.size > 0)
    notes.push(`Left out, since control or format characters are in it: ${[...out].join(', ')}.`);
  if (body && !('content-type' in headers)) lines.push("-H 'content-type:'");
  if (data !== undefined) lines.push(`--data-raw ${quoted(data)}`);
  if (!body || !('base64' in body)) return { text: lines.join(' \\\n  '), notes };
  const command = [...lines, '--data-binary @-'].join(' \\\n  ');
  return { text: `printf %s '${body.base64}' | base64 -d | ${command}`, notes };
}

/** One word of a shell's command line. */
function quoted(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What follows the host, of a target in absolute form, too. */
function originForm(target: string): string {
  const { path, query } = splitTarget(target);
  return `${path.startsWith('/') ? '' : '/'}${path}${target.includes('?') ? `?${query}` : ''}`;
}

function inPercent(character: string): string {
  return Array.from(
    new TextEncoder().encode(character),
    (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`,
  ).join('');
}

/**
 * A body that a terminal can show: of JSON without other content, with escapes for what a terminal could obey, or that hides others.
 *
 * @returns undefined where it is no JSON and holds such characters, beside line feeds
 */
function printableBody(text: string): string | undefined {
  if (text.replaceAll('\n', '').search(UNPRINTABLE) < 0) return text;
  if (!isJson(text)) return undefined;
  // Outside of JSON's texts there are only these.
  return text
    .replace(/[\t\r]/g, ' ')
    .split('\n')
    .map((line) => line.replace(UNPRINTABLE, inEscapes))
    .join('\n');
}

/** Of JSON. */
function inEscapes(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** As an archive of HAR 1.2 with one entry. */
export function harOf(exchange: ShownExchange): Copy {
  const { request, response, startedAt, durationMs, failure } = exchange;
  const url = absoluteUrl(request);
  const [, query = ''] = request.url.split(/\?(.*)/s);
  const type = (headers: ShownExchange['request']['headers']) => [headers['content-type']].flat()[0];
  const entry = {
    startedDateTime: startedAt,
    time: durationMs,
    request: {
      method: request.method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: namesAndValues(headerPairs(request.headers)),
      queryString: namesAndValues([...new URLSearchParams(query)]),
      ...(request.body && {
        postData: { mimeType: type(request.headers) ?? '', ...harText(request.body, '_encoding') },
      }),
      headersSize: -1,
      bodySize: request.body?.size ?? 0,
    },
    response: {
      status: response?.status ?? 0,
      statusText: '',
      httpVersion: response ? 'HTTP/1.1' : '',
      cookies: [],
      headers: namesAndValues(headerPairs(response?.headers ?? {})),
      content: {
        size: response?.body?.size ?? 0,
        mimeType: type(response?.headers ?? {}) ?? 'x-unknown',
        ...(response?.body && harText(response.body, 'encoding')),
      },
      redirectURL: [response?.headers.location].flat()[0] ?? '',
      headersSize: -1,
      bodySize: response ? (response.body?.size ?? 0) : -1,
      ...(failure && { _error: failure }),
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
  };
  const log = { version: '1.2', creator: { name: 'patchgate', version: '' }, entries: [entry] };
  const notes = [...new Set([...notesOf(request), ...notesOf(response)])];
  return { text: `${JSON.stringify({ log }, null, 2)}\n`, notes };
}

/** The standard has an encoding for responses only. */
function harText(body: ShownBody, encoding: 'encoding' | '_encoding'): object {
  const comment = body.cut && { comment: `the first of ${body.size} bytes` };
  if ('base64' in body) return { text: body.base64, [encoding]: 'base64', ...comment };
  return { text: bodyText(body), ...comment };
}

/** Rules that find something only where the record is known; a case knows none. */
const _OF_KNOWN_RECORDS =
  /^(?:project\.(?:environment-deleted|environment-replaced|state-unknown|language-removed)|feature\.unknown-variable)$/;
/** The body as a text; what is in base64 stays so. */
function bodyText(body: ShownBody): string {
  if ('json' in body) return JSON.stringify(body.json);
  return 'text' in body ? body.text : body.base64;
}

export function headerPairs(headers: ShownExchange['request']['headers']): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
}

function namesAndValues(pairs: readonly (readonly [string, string])[]) {
  return pairs.map(([name, value]) => ({ name, value }));
}

/** Where the client sent it, as it says; a target of another scheme was sent to the gate all the same. */
function absoluteUrl({ url, headers }: ShownExchange['request']): string {
  const host = [headers.host].flat()[0] ?? '127.0.0.1:4010';
  return /^https?:\/\//i.test(url) ? url : `http://${host}${originForm(url)}`;
}

/** Whether a secret was in a text. */
export function isRedacted(text: string): boolean {
  return text.includes(REDACTED) || text.includes(encodeURIComponent(REDACTED));
}

function notesOf(
  message: { url?: string; headers: object; body?: ShownBody | undefined } | undefined,
): string[] {
  if (!message) return [];
  const { url = '', headers, body } = message;
  const hasSecrets = [url, textOf(Object.values(headers)), body ? bodyText(body) : ''].some(isRedacted);
  return [
    ...(hasSecrets ? [`Secrets are redacted: put yours in the place of ${REDACTED}.`] : []),
    ...(body?.cut ? ['The body is not whole: only its beginning was kept.'] : []),
  ];
}
