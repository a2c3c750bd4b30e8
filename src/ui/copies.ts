import { HOP_BY_HOP } from '../http/http.ts';
import { holdsPlaceholder, REDACTED } from '../recordings/redact/redacted.ts';
import { UNPRINTABLE } from '../reporters/wording.ts';
import type { ShownBody, ShownExchange } from '../server/show-exchange.ts';

type Request = ShownExchange['request'];

export function headerPairs(headers: Request['headers']): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
}

/** Without the headers of the connection, and of the body's bytes as they were. */
function ownHeaders({ headers }: Request): [name: string, value: string][] {
  const isAnew = /^(?:host|content-length|content-encoding|accept-encoding|expect)$/;
  return headerPairs(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !isAnew.test(name));
}

/** What a copy of a request lacks, in sentences. */
export function lacksOf(request: Request): string {
  const text = JSON.stringify(request).replace(/%5b/gi, '[').replace(/%5d/gi, ']');
  return [
    holdsPlaceholder(text) ? `Secrets are redacted: put yours in the place of ${REDACTED}.` : '',
    request.body?.cut ? 'Only the beginning of the body was kept.' : '',
  ].join(' ');
}

/**
 * A command for any POSIX shell that sends the request to the gate, not to the host that the client named. A header with control or
 * format characters is left out, and a body with them is in base64: a terminal could obey them.
 */
export function curlOf({ request }: ShownExchange, gateUrl: string): string {
  const { method, body } = request;
  const target = request.url.replace(/^https?:\/\/[^/?]*/i, '');
  const url = gateUrl + (target.startsWith('/') ? '' : '/') + target.replace(UNPRINTABLE, encodeURIComponent);
  // Curl would resolve dot segments, and take brackets for ranges.
  const lines = [`curl --path-as-is --globoff -X ${quoted(method)} ${quoted(url)}`];
  for (const [name, value] of ownHeaders(request))
    if (value.search(UNPRINTABLE) < 0)
      lines.push(`-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`);
  if (!body) return lines.join(' \\\n  ');
  if (!('content-type' in request.headers)) lines.push("-H 'content-type:'");
  const text = bodyText(body);
  if (!('base64' in body) && text.replaceAll('\n', '').search(UNPRINTABLE) < 0)
    return [...lines, `--data-raw ${quoted(text)}`].join(' \\\n  ');
  const bytes = 'base64' in body ? text : btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  return `printf %s '${bytes}' | base64 -d | ${[...lines, '--data-binary @-'].join(' \\\n  ')}`;
}

/** One word of a shell's command line. */
function quoted(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The body as a text; base64 stays as it is. */
function bodyText(body: ShownBody): string {
  if ('json' in body) return JSON.stringify(body.json);
  return 'text' in body ? body.text : body.base64;
}

/** An archive of HAR 1.2. @param exchanges newest first, with bodies */
export function harOf(exchanges: readonly ShownExchange[], gateUrl: string): string {
  const entries = exchanges.toReversed().map((exchange) => entryOf(exchange, gateUrl));
  const log = { version: '1.2', creator: { name: 'patchgate', version: '' }, entries };
  return `${JSON.stringify({ log }, null, 2)}\n`;
}

function entryOf({ request, response, startedAt, durationMs, failure }: ShownExchange, gateUrl: string) {
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
  const { method, url, headers, body } = request;
  const answer = response ?? { status: 0, headers: {}, body: undefined };
  const query = new URLSearchParams(url.split(/\?(.*)/s)[1]);
  const sent = {
    ...{ method, url: /^https?:/i.test(url) ? url : gateUrl + url, ...common },
    ...{ headers: named(headerPairs(headers)), queryString: named([...query]), bodySize: body?.size ?? 0 },
    ...(body && { postData: contentOf(body, headers, '_encoding') }),
  };
  const got = {
    ...{ status: answer.status, statusText: '', ...common, headers: named(headerPairs(answer.headers)) },
    ...{ content: contentOf(answer.body, answer.headers, 'encoding'), redirectURL: '', bodySize: -1 },
    ...(failure && { _error: failure }),
  };
  const timings = { send: 0, wait: durationMs, receive: 0 };
  return { startedDateTime: startedAt, time: durationMs, request: sent, response: got, cache: {}, timings };
}

/** @param encoding the standard has one for responses only */
function contentOf(body: ShownBody | undefined, headers: Request['headers'], encoding: string): object {
  return {
    ...{ size: body?.size ?? 0, mimeType: [headers['content-type']].flat()[0] ?? 'x-unknown' },
    ...(body && { text: bodyText(body), ...('base64' in body && { [encoding]: 'base64' }) }),
    ...(body?.cut && { comment: `the beginning of ${body.size} bytes` }),
  };
}

function named(pairs: readonly (readonly [string, string])[]) {
  return pairs.map(([name, value]) => ({ name, value }));
}
