import { HOP_BY_HOP } from '../http/http.ts';
import { holdsPlaceholder, REDACTED } from '../recordings/redact/redacted.ts';
import { UNPRINTABLE } from '../reporters/wording.ts';
import type { ShownExchange } from '../server/show-exchange.ts';

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
  const text = 'json' in body ? JSON.stringify(body.json) : 'text' in body ? body.text : body.base64;
  if (!('base64' in body) && text.replaceAll('\n', '').search(UNPRINTABLE) < 0)
    return [...lines, `--data-raw ${quoted(text)}`].join(' \\\n  ');
  const bytes = 'base64' in body ? text : btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  return `printf %s '${bytes}' | base64 -d | ${[...lines, '--data-binary @-'].join(' \\\n  ')}`;
}

/** One word of a shell's command line. */
function quoted(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
