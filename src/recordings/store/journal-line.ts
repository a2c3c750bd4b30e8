import { PatchgateError } from '../../errors.ts';
import { isObject, type JsonValue } from '../../json/json.ts';
import { isSessionName } from '../../model/session-name.ts';
import type { PlainExchange } from '../plain-exchange.ts';

/** Where an exchange goes that was recorded: said in the journal, so that to apply a line twice changes nothing. */
export interface Placement {
  /** It is the first answer of its request in a run that replaces: what was kept for the request goes. */
  replaces?: true;
  /** Its place among those of its request and session, from 0; past the last, or undefined: behind them. */
  ordinal?: number | undefined;
}

/**
 * A line of a recording's journal: an exchange with where it goes. Its head as JSON, a tab, the request's body, a tab, the response's
 * body. The bodies stand there as they are, of the sizes that the head says, unless they hold line feeds: then in base64.
 */
export interface JournalExchange {
  exchange: PlainExchange;
  placement: Placement;
}

const TAB = 9;
const LINE_FEED = 10;
const NOTHING = Buffer.alloc(0);

export function exchangeLine(
  { request, response, startedAt, durationMs, session }: PlainExchange,
  { replaces, ordinal }: Placement,
): Buffer {
  const isRequestCoded = request.body.includes(LINE_FEED);
  const isResponseCoded = response.body.includes(LINE_FEED);
  const requestBody = isRequestCoded ? inBase64(request.body) : request.body;
  const responseBody = isResponseCoded ? inBase64(response.body) : response.body;
  const isOmitted = request.omitted !== undefined || response.omitted !== undefined;
  const head =
    `{"at":${startedAt},"ms":${durationMs},"replace":${replaces !== undefined},"status":${response.status}` +
    `,"request":${JSON.stringify([request.method, request.path, request.query, ...request.headers])}` +
    `,"response":${JSON.stringify(response.headers)},"sizes":[${requestBody.length},${responseBody.length}]` +
    `,"base64":[${isRequestCoded},${isResponseCoded}]` +
    (isOmitted ? `,"omitted":[${request.omitted ?? null},${response.omitted ?? null}]` : '') +
    (session === undefined ? '' : `,"session":${JSON.stringify(session)}`) +
    (ordinal === undefined ? '}\t' : `,"ordinal":${ordinal}}\t`);
  const bodies = requestBody.length + responseBody.length + 2;
  const line = Buffer.allocUnsafe(Buffer.byteLength(head) + bodies);
  let end = line.write(head);
  end += requestBody.copy(line, end);
  line[end++] = TAB;
  end += responseBody.copy(line, end);
  line[end] = LINE_FEED;
  return line;
}

/** @param where file, and the line in it */
export function brokenJournal(where: string, what = 'this is no line of a journal'): PatchgateError {
  return new PatchgateError('bad-recording', `${where}: ${what}`, {
    hint: 'what was recorded last and is not in its file yet stands there: correct it, or delete it to go without it',
  });
}

/** What a line says, given without its line feed; undefined where it is none of an exchange. */
export function readLine(line: Buffer): JournalExchange | undefined {
  const tab = line.indexOf(TAB);
  if (tab < 0) return undefined;
  let head: JsonValue;
  try {
    head = JSON.parse(line.toString('utf8', 0, tab)) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isObject(head) || !isHead(head)) return undefined;
  const exchange = exchangeIn(head, line.subarray(tab + 1));
  const { replace, ordinal } = head;
  return exchange && { exchange, placement: replace ? { replaces: true } : { ordinal } };
}

/** The first part of an exchange's line. */
interface Head {
  at: number;
  ms: number;
  replace: boolean;
  status: number;
  /** Method, path, query; then headers, name and value in turn. */
  request: [method: string, path: string, query: string, ...headers: string[]];
  response: string[];
  /** Of the request's body and the response's, as they stand in the line. */
  sizes: [request: number, response: number];
  base64: [request: boolean, response: boolean];
  /** Of bodies that were not kept. */
  omitted?: [request: number | null, response: number | null];
  session?: string;
  ordinal?: number;
}

function exchangeIn(head: Head, bodies: Buffer): PlainExchange | undefined {
  const [size, responseSize] = head.sizes;
  if (bodies.length !== size + 1 + responseSize || bodies[size] !== TAB) return undefined;
  const { status, session } = head;
  const [method, path, query, ...headers] = head.request;
  const [omitted, responseOmitted] = head.omitted ?? [];
  const ofRequest = messageIn(bodies.subarray(0, size), head.base64[0], omitted);
  const ofResponse = messageIn(bodies.subarray(size + 1), head.base64[1], responseOmitted);
  return {
    request: { method, path, query, headers, ...ofRequest, json: undefined },
    response: { status, headers: head.response, ...ofResponse },
    startedAt: head.at,
    durationMs: head.ms,
    ...(session !== undefined && { session }),
  };
}

function messageIn(bytes: Buffer, isCoded: boolean, omitted: number | null = null) {
  const coded = isCoded ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes;
  return { body: bytes.length === 0 ? NOTHING : coded, ...(omitted !== null && { omitted }) };
}

function isHead(value: unknown): value is Head {
  const { at, ms, replace, status, request, response, sizes, base64, ...optional } = value as Head;
  const { omitted, session, ordinal = 0 } = optional;
  return (
    [at, ms, status].every(Number.isInteger) &&
    typeof replace === 'boolean' &&
    isList(request, isText) &&
    request.length >= 3 &&
    isList(response, isText) &&
    isList(sizes, isSize) &&
    isList(base64, (flag) => typeof flag === 'boolean') &&
    (omitted === undefined || isList(omitted, (size) => size === null || isSize(size))) &&
    (session === undefined || isSessionName(session)) &&
    isSize(ordinal)
  );
}

const isText = (value: unknown) => typeof value === 'string';
const isSize = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;

function isList(value: unknown, isGood: (item: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(isGood);
}

function inBase64(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('base64'), 'latin1');
}
