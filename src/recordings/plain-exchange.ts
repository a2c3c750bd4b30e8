import { PatchgateError } from '../errors.ts';
import { type Decoded, decodeContentSync, REQUEST_BOUNDS } from '../http/decode-content.ts';
import {
  byHeaderName,
  connectionOptions,
  HOP_BY_HOP,
  header,
  METHOD_OVERRIDES,
  type RawHeaders,
  type RequestHead,
  splitTarget,
  withoutHeaders,
} from '../http/http.ts';
import { type Exchange, headerPairs } from '../model/exchange.ts';
import { bodyBytes, RECORD_LIMIT, storeBody } from './body.ts';
import { codingOf, redactBytes, redactHeaders, redactPath, redactQuery } from './redact/redact.ts';
import { hidingEchoes, type Redaction } from './redact/redaction.ts';

/** An exchange on its way into a recording: redacted, decoded, without the headers of one connection. */
export interface PlainExchange extends Pick<Exchange, 'meta'> {
  request: Plain<Exchange['request']>;
  response: Plain<Exchange['response']>;
}

/** Headers are name, value, name, value, …; the names in lower case. */
type Plain<Message> = Omit<Message, 'headers' | 'body'> & { headers: RawHeaders; body: Buffer };

/** One request with its response, both whole, as they went by. */
export interface SeenExchange extends Pick<Exchange, 'meta'> {
  request: RequestHead & { body: Buffer };
  /** Its content codings are undone already, if that can be. */
  response: { status: number; headers: RawHeaders; body: Decoded };
}

/** `headers`: those of a request that matching looks at, beside the usual ones. In lower case. */
export type RecordRules = { headers: ReadonlySet<string>; redaction: Redaction };

/** An exchange that went by, as it may be kept. @throws PatchgateError `bad-input` if nobody can say what a body holds, or it is too long */
export function plainExchangeOf({ request, response, meta }: SeenExchange, rules: RecordRules) {
  const decoded = decodeContentSync(request.body, codingOf(request.headers), REQUEST_BOUNDS);
  const exchange: PlainExchange = {
    request: plainRequest(request, keptBody('request', decoded), rules),
    response: {
      status: response.status,
      headers: keptAnswerHeaders(request, response.headers),
      body: keptBody('response', response.body),
    },
    meta,
  };
  redactAll(exchange, rules.redaction, request.headers, response.headers);
  return exchange;
}

function keptBody(side: string, body: Decoded): Buffer {
  if (!Buffer.isBuffer(body))
    throw new PatchgateError('bad-input', `its ${side}'s body has a content coding that cannot be undone`);
  if (body.length > RECORD_LIMIT) throw tooLong(side, body.length);
  return body;
}

/** Why an exchange is not recorded. @param side `request`, `response` */
export function tooLong(side: string, bytes: number): PatchgateError {
  const what = `its ${side}'s body has ${bytes} bytes, more than the ${RECORD_LIMIT} that are kept`;
  return new PatchgateError('bad-input', what);
}

/** An exchange of a file, as if it were recorded now. */
export function redactExchange(exchange: Exchange, redaction: Redaction): Exchange {
  const plain = toPlainExchange(exchange);
  redactAll(plain, redaction, plain.request.headers, plain.response.headers);
  const clean = toStoredExchange(plain);
  // A body without secrets stays as the file has it.
  for (const side of ['request', 'response'] as const) {
    const { body } = exchange[side];
    if (body && plain[side].body.equals(bodyBytes(body))) clean[side].body = body;
  }
  return clean;
}

/** Secret headers of the response go: a placeholder would be replayed as if it were a cookie. @param asked headers of the request as sent */
function redactAll(exchange: PlainExchange, redaction: Redaction, asked: RawHeaders, answered: RawHeaders) {
  const { request, response } = exchange;
  // A replay may come with other credentials: they stay in path and query, unless they look like secrets.
  request.path = redactPath(request.path, redaction);
  request.query = redactQuery(request.query, redaction);
  response.headers = withoutHeaders(response.headers, (name) => redaction.headers.has(name));
  const ofBoth = hidingEchoes(redaction, asked, answered);
  for (const message of [request, response]) {
    message.headers = redactHeaders(message.headers, ofBoth);
    message.body = redactBytes(message.body, header(message.headers, 'content-type'), ofBoth);
  }
}

/** What a request's headers say of its body and of what it may be answered with, and those that make a PATCH of it. */
const KEPT_OF_REQUEST: ReadonlySet<string> = new Set(['content-type', 'accept', ...METHOD_OVERRIDES]);
/** Of one connection or one moment. */
const PASSING: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'date']);
/** The same, and of the bytes that were sent. A HEAD's headers describe a body that is not there. */
const PASSING_WITH_BODY: ReadonlySet<string> = new Set([...PASSING, 'content-length', 'content-encoding']);
const LOCATIONS: ReadonlySet<string> = new Set(['location', 'content-location']);

const lowerCase = byHeaderName((name) => name);

/** Not redacted. @param body without its content codings */
export function plainRequest({ method, url, headers: raw }: RequestHead, body: Buffer, rules: RecordRules) {
  const headers: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = lowerCase(raw[i] as string);
    if (KEPT_OF_REQUEST.has(name) || rules.headers.has(name)) headers.push(name, raw[i + 1] as string);
  }
  return { method, ...splitTarget(url), headers, body };
}

/** Headers that may be replayed, secret ones too. */
function keptAnswerHeaders({ method, headers: asked }: RequestHead, raw: RawHeaders): string[] {
  const headers: string[] = [];
  const options = connectionOptions(raw);
  const host = header(asked, 'host');
  const passing = method === 'HEAD' ? PASSING : PASSING_WITH_BODY;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name, value] = [lowerCase(raw[i] as string), raw[i + 1] as string];
    if (!passing.has(name) && !options.includes(name))
      headers.push(name, LOCATIONS.has(name) ? withoutOwnOrigin(value, host) : value);
  }
  return headers;
}

/** A URL of the gate itself loses its origin: the next run may have another port. `//name/` would be another host. */
function withoutOwnOrigin(url: string, host: string | undefined): string {
  const [, origin, path] = /^https?:\/\/([^/]+)(\/(?!\/).*)$/s.exec(url) ?? [];
  return path !== undefined && origin === host ? path : url;
}

/** The exchange as a file keeps it: which bodies are JSON that gives the very bytes back is found out here. */
export function toStoredExchange({ request, response, meta }: PlainExchange): Exchange {
  return { request: toStoredMessage(request), response: toStoredMessage(response), meta };
}

export function toStoredMessage<T extends Plain<object>>({ headers: flat, body: bytes, ...line }: T) {
  const headers = valuesByName(flat);
  const body = storeBody(bytes, header(flat, 'content-type'));
  return Object.assign(line, { headers, ...(body && { body }) });
}

export function toPlainExchange({ request, response, meta }: Exchange): PlainExchange {
  return { request: toPlainMessage(request), response: toPlainMessage(response), meta };
}

function toPlainMessage<T extends Exchange['request'] | Exchange['response']>({ headers, body, ...line }: T) {
  return Object.assign(line, { headers: headerPairs(headers).flat(), body: bodyBytes(body) });
}

/** Names and values in turn -> each name with its value, with a list if it came several times. */
export function valuesByName(flat: readonly string[]): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const [name, value] = [flat[i] as string, flat[i + 1] as string];
    const before = values.get(name);
    if (Array.isArray(before)) before.push(value);
    else values.set(name, before === undefined ? value : [before, value]);
  }
  return Object.fromEntries(values);
}
