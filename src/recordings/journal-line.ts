import { isObject, type JsonValue } from '../model/json.ts';
import type { PlainExchange } from './plain-exchange.ts';

/**
 * The lines of a journal. Each ends with a line feed and holds no other; the first of a file is `FIRST_LINE`.
 *
 * An exchange: its head as JSON, a tab, the request's body, a tab, the response's body. The bodies stand there as they
 * are, of the sizes that the head says, unless they hold line feeds: then in base64.
 *
 * A mark, one JSON object: the file of a method and path has all its exchanges up to a position of the journal, or has
 * them once the temporary file beside it, if that is still there, has taken its place.
 */
export type JournalLine =
  | { kind: 'exchange'; exchange: PlainExchange; replace: boolean }
  | { kind: 'mark'; mark: FoldMark }
  | { kind: 'first' };

export interface FoldMark {
  method: string;
  path: string;
  /** Position in the journal. */
  upTo: number;
  /** Name of the temporary file, in the folder of the file itself. */
  temporary: string;
}

export const FIRST_LINE = Buffer.from('{"journalVersion":1}\n');

const TAB = 9;
const LINE_FEED = 10;
const NOTHING = Buffer.alloc(0);
/** Nearly every line fits in here. */
const scratch = Buffer.allocUnsafeSlow(65_536);

/** The line of an exchange. Valid until the next call. */
export function exchangeLine(
  { request, response, startedAt, durationMs }: PlainExchange,
  replace: boolean,
): Buffer {
  const isRequestCoded = request.body.includes(LINE_FEED);
  const isResponseCoded = response.body.includes(LINE_FEED);
  const requestBody = isRequestCoded ? inBase64(request.body) : request.body;
  const responseBody = isResponseCoded ? inBase64(response.body) : response.body;
  const head =
    `{"at":${startedAt},"ms":${durationMs},"replace":${replace}` +
    `,"method":${quote(request.method)},"path":${quote(request.path)},"query":${quote(request.query)}` +
    `,"headers":${quoteAll(request.headers)},"body":${requestBody.length},"base64":${isRequestCoded}` +
    `,"response":{"status":${response.status},"headers":${quoteAll(response.headers)}` +
    `,"body":${responseBody.length},"base64":${isResponseCoded}}}\t`;
  const bodies = requestBody.length + responseBody.length + 2;
  // A UTF-16 code unit takes at most three bytes.
  const fits = head.length * 3 + bodies <= scratch.length;
  const line = fits ? scratch : Buffer.allocUnsafe(Buffer.byteLength(head) + bodies);
  let end = line.write(head);
  end += requestBody.copy(line, end);
  line[end++] = TAB;
  end += responseBody.copy(line, end);
  line[end++] = LINE_FEED;
  return line.subarray(0, end);
}

export function markLine(mark: FoldMark): Buffer {
  return Buffer.from(`${JSON.stringify({ folded: mark })}\n`);
}

/** What a line says, given without its line feed; undefined where it is none of a journal. */
export function readLine(line: Buffer): JournalLine | undefined {
  const tab = line.indexOf(TAB);
  let head: JsonValue;
  try {
    head = JSON.parse(line.toString('utf8', 0, tab < 0 ? line.length : tab)) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isObject(head)) return undefined;
  if (tab < 0) {
    if (head.journalVersion === 1) return { kind: 'first' };
    return isMark(head.folded) ? { kind: 'mark', mark: head.folded } : undefined;
  }
  const exchange = isHead(head) ? exchangeIn(head, line.subarray(tab + 1)) : undefined;
  return exchange && { kind: 'exchange', exchange, replace: (head as unknown as Head).replace };
}

/** The first part of an exchange's line. */
interface Head {
  at: number;
  ms: number;
  replace: boolean;
  method: string;
  path: string;
  query: string;
  headers: string[];
  body: number;
  base64: boolean;
  response: { status: number; headers: string[]; body: number; base64: boolean };
}

function exchangeIn(head: Head, bodies: Buffer): PlainExchange | undefined {
  const { at, ms, method, path, query, headers, body, base64, response } = head;
  if (bodies.length !== body + 1 + response.body || bodies[body] !== TAB) return undefined;
  const { status } = response;
  return {
    request: { method, path, query, headers, body: plain(bodies.subarray(0, body), base64), json: undefined },
    response: { status, headers: response.headers, body: plain(bodies.subarray(body + 1), response.base64) },
    startedAt: at,
    durationMs: ms,
  };
}

function isHead(value: unknown): value is Head {
  const head = value as Head;
  return (
    Number.isInteger(head.at) &&
    Number.isInteger(head.ms) &&
    typeof head.replace === 'boolean' &&
    [head.method, head.path, head.query].every((text) => typeof text === 'string') &&
    isMessage(head) &&
    isObject(head.response) &&
    isMessage(head.response as unknown as Head['response']) &&
    Number.isInteger(head.response.status)
  );
}

function isMessage({ headers, body, base64 }: Pick<Head, 'headers' | 'body' | 'base64'>): boolean {
  return (
    Array.isArray(headers) &&
    headers.every((text) => typeof text === 'string') &&
    Number.isInteger(body) &&
    typeof base64 === 'boolean'
  );
}

function isMark(value: unknown): value is FoldMark & { [member: string]: JsonValue } {
  return (
    isObject(value) &&
    [value.method, value.path].every((text) => typeof text === 'string') &&
    typeof value.temporary === 'string' &&
    !/[/\\]/.test(value.temporary) &&
    Number.isInteger(value.upTo)
  );
}

function inBase64(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('base64'), 'latin1');
}

function plain(bytes: Buffer, isCoded: boolean): Buffer {
  if (bytes.length === 0) return NOTHING;
  return isCoded ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes;
}

/** Most texts need no escape, and JSON.stringify takes longer than to find that out. */
const ODD = /["\\]|[^ -~]/;

function quote(text: string): string {
  return ODD.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function quoteAll(texts: readonly string[]): string {
  let list = '';
  for (const text of texts) list += list === '' ? quote(text) : `,${quote(text)}`;
  return `[${list}]`;
}
