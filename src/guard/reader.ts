import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { messageOf, type PatchgateError } from '../errors.ts';
import { type Decoded, decodeContent, LEARNING_BOUNDS } from '../http/decode-content.ts';
import {
  byHeaderName,
  connectionOptions,
  header,
  looseHeaderName,
  METHOD_OVERRIDES,
  type RequestHead,
  type ResponseHead,
  splitTarget,
  withoutHeaders,
} from '../http/http.ts';
import { type JsonObject, parseJson } from '../json/json.ts';
import type { RecordName } from '../model/record.ts';
import { codingOf } from '../recordings/redact/redact.ts';
import { wholeRecordIn } from '../state/whole-record.ts';
import { type CollectedBody, NO_BODY, wholeBody } from '../upstreams/bodies.ts';
import type { Fake } from '../upstreams/fake/fake.ts';
import { NeverReached } from '../upstreams/target.ts';
import type { Session, Upstream } from '../upstreams/upstream.ts';

/** A PATCH that is about to be judged. */
export interface Asker extends RequestHead {
  /** The client's message. */
  stream: IncomingMessage;
  /** Aborted once the client is gone. */
  signal?: AbortSignal | undefined;
  session: Session;
}

/** The record as the service shows it now, or in half a sentence why it could not be read; neither: the service has no such GET. */
export interface Reading {
  record?: JsonObject | undefined;
  why?: string;
  /** Nobody answers there. */
  unreachable?: PatchgateError;
}

/** Reads a record before a PATCH of it is judged. Never rejects. */
export type Reader = (name: RecordName, asker: Asker) => Promise<Reading>;

/** Bytes of an answer that are read at most, as sent. */
const MOST_BYTES = 5 * 1024 * 1024;
const NO_SUCH_GET = [404, 405, 501];

/** Reads from the target by one GET of the PATCH's own path, with the client's headers. @param timeout milliseconds; 0: for ever */
export function targetReader(target: Upstream, timeout: number): Reader {
  return async (name, { url, headers, stream, signal, session }) => {
    const named = connectionOptions(headers);
    const kept = withoutHeaders(headers, (name) => isOfPatch(name) || named.includes(name));
    const accept = header(headers, 'accept') ?? '';
    kept.push('Accept', /json/i.test(accept) ? accept : 'application/json');
    kept.push('Accept-Encoding', 'identity', 'Cache-Control', 'no-cache');
    const { path } = splitTarget(url);
    const get = { method: 'GET', url: path, headers: kept, body: NO_BODY, json: undefined, stream, session };
    try {
      const answer = await target.handle(get, signal);
      const body = await wholeBody(answer, MOST_BYTES, timeout);
      const plain = await decodeContent(body.bytes, codingOf(answer.headers), LEARNING_BOUNDS);
      return readingOf(name, answer, body, plain);
    } catch (error) {
      return { why: messageOf(error), ...(error instanceof NeverReached && { unreachable: error }) };
    }
  };
}

/** Asks the fake what it holds in the session. */
export function fakeReader(fake: Pick<Fake, 'recordOf'>): Reader {
  return async (name, { session }) => ({ record: fake.recordOf(session, name) });
}

/** Redirects are not followed. */
function readingOf(
  { kind, id }: RecordName,
  { status, headers }: ResponseHead,
  { bytes, omitted }: CollectedBody,
  plain: Decoded,
): Reading {
  if (NO_SUCH_GET.includes(status)) return {};
  if (omitted !== undefined) return { why: `the answer has more than ${MOST_BYTES} bytes` };
  if (bytes.length === 0 && status >= 200 && status <= 299 && status !== 206) return {};
  if (status !== 200 && status !== 206) return { why: `it was answered with the status ${status}` };
  if (!Buffer.isBuffer(plain)) return { why: 'the answer has a content coding that cannot be undone' };
  const json = isUtf8(plain) ? parseJson(plain.toString().replace(/^\ufeff/, '')) : undefined;
  if (json === undefined) return { why: 'the answer is no JSON' };
  return wholeRecordIn(kind, { status, headers }, json, id);
}

const MADE_ANEW = ['accept', 'accept-encoding', 'cache-control', 'connection', 'pragma'];
const OF_PATCH = ['transfer-encoding', 'te', 'trailer', 'expect', 'digest', 'repr-digest', 'prefer', 'dpop'];
const NAMES: ReadonlySet<string> = new Set([...MADE_ANEW, ...OF_PATCH, ...METHOD_OVERRIDES, 'range']);

/** Headers about the PATCH alone: its body, its conditions, its answer, what it really is. Names as servers read them. */
const isOfPatch = byHeaderName((header) => {
  const name = looseHeaderName(header);
  return NAMES.has(name) || /^(?:content|if|patchgate)-|idempotency-key$/.test(name);
});
