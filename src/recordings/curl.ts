import { isUtf8 } from 'node:buffer';
import { splitTarget } from '../http/http.ts';
import { absoluteUrl } from '../http/url.ts';
import type { RecordedRequest } from '../model/exchange.ts';

/** Bytes of one argument, with room to spare for the shortest limit that systems have (128 KiB). */
const LONGEST_ARGUMENT = 96 * 1024;

/**
 * A recorded request as a curl command for bash, zsh or any shell of POSIX 2024; in older ones, too, unless it holds
 * control characters. Sends the very bytes, and of what recordings keep no header that curl would add. Pure.
 *
 * @param body its bytes
 * @param base where to send it: `http://127.0.0.1:4010`
 */
export function curlLine(request: RecordedRequest, body: Buffer, base: string): string {
  const first = ['curl', ...methodWords(request.method, body.length > 0), ...urlWords(request, base)];
  const words = [first.join(' ')];
  const sent = new Set<string>();
  for (const [name, values] of Object.entries(request.headers)) {
    sent.add(name);
    // Without a value, a colon would take the header away.
    for (const value of [values].flat())
      words.push(`-H ${quoted(latin1(value === '' ? `${name};` : `${name}: ${value}`))}`);
  }
  if (!sent.has('accept')) words.push("-H 'accept:'");
  if (body.length > 0 && !sent.has('content-type')) words.push("-H 'content-type:'");
  if (body.length === 0) return words.join(' \\\n  ');
  const isText = isUtf8(body) && !body.includes(0);
  if (isText && body.length <= LONGEST_ARGUMENT)
    return [...words, `--data-raw ${quoted(body, true)}`].join(' \\\n  ');
  // The shell's own printf takes arguments of any length, and none that holds a zero byte.
  const source = isText
    ? `printf %s ${quoted(body, true)}`
    : `printf %s '${body.toString('base64')}' | base64 -d`;
  return `${source} | ${[...words, '--data-binary @-'].join(' \\\n  ')}`;
}

function methodWords(method: string, hasBody: boolean): string[] {
  if (method === 'HEAD' && !hasBody) return ['--head'];
  if (method === (hasBody ? 'POST' : 'GET')) return [];
  return [`-X ${/^[A-Z]+$/.test(method) ? method : quoted(latin1(method))}`];
}

/** Curl would resolve dot segments, take brackets for ranges, and refuse or change other characters. */
function urlWords(request: RecordedRequest, base: string): string[] {
  const url = absoluteUrl(request, base);
  const { path, query } = splitTarget(url);
  const words = [
    ...(/\/\.{1,2}(?:\/|$)/.test(path) ? ['--path-as-is'] : []),
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
  ];
  if (/^[!"$-~]*$/.test(url) && request.path.startsWith('/')) return [...words, quoted(latin1(url))];
  const isOdd = !request.path.startsWith('/');
  const target = isOdd ? request.path : path;
  const whole = query === '' ? target : `${target}?${query}`;
  return [`--request-target ${quoted(latin1(whole))}`, quoted(latin1(base))];
}

/** What stands in a URL or header: each character is a byte; others, which no client sent, are UTF-8. */
function latin1(text: string): Buffer {
  return Buffer.from(text, /[\u0100-\uffff]/.test(text) ? 'utf8' : 'latin1');
}

/** Characters that a terminal could obey, or that would hide others. */
const ODD = /[^\P{Cc}\n]|\p{Cf}|\p{Zl}|\p{Zp}/gu;
const ODD_OR_FEED = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu;
const NOT_ASCII = /[^ -~]/g;

/**
 * One word of a shell's command line that stands for these bytes, of which none may be zero.
 *
 * @param mayBreak whether line feeds may stand in it as they are
 */
function quoted(bytes: Buffer, mayBreak = false): string {
  const isText = isUtf8(bytes);
  const encoding = isText ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const odd = !isText ? NOT_ASCII : mayBreak ? ODD : ODD_OR_FEED;
  if (isText && text.search(odd) < 0) return `'${text.replaceAll("'", "'\\''")}'`;
  // Three digits for each byte: what follows is never taken for one more.
  const inOctal = (char: string) =>
    Array.from(Buffer.from(char, encoding), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  // An older shell knows no `$'…'`: without a quote within, it sends other bytes there, and runs none of them.
  return `$'${text.replaceAll('\\', '\\\\').replaceAll("'", '\\047').replace(odd, inOctal)}'`;
}
