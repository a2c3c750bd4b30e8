import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { messageOf } from '../errors.ts';
import { decodeContent, isPastBounds, LEARNING_BOUNDS } from '../http/decode-content.ts';
import {
  byHeaderName,
  looseHeaderName,
  METHOD_OVERRIDES,
  type ResponseHead,
  splitTarget,
  withoutHeaders,
} from '../http/http.ts';
import type { JsonObject } from '../json/json.ts';
import type { RecordName } from '../model/record.ts';
import { jsonOf } from '../recordings/body.ts';
import { codingOf } from '../recordings/redaction/redact.ts';
import { isDated } from '../state/lesson.ts';
import { type Shown, shownIn } from '../state/records.ts';
import { type Asked, ask } from '../upstreams/ask.ts';
import type { Upstream, UpstreamRequest } from '../upstreams/upstream.ts';
import type { Asker } from './knowledge.ts';

/** Bytes of an answer that are read at most, as sent. */
const MOST_BYTES = 5 * 1024 * 1024;
const NO_BODY = Buffer.alloc(0);

/** What an answer that holds the whole record shows, or in one sentence why it could not be read. */
export type Reading = { shown: Shown & { record: JsonObject } } | { why: string };

/**
 * Reads the record that a PATCH is about to change, by GET of its path with the client's own headers. Never rejects.
 *
 * @param upstream the target; nothing that records, since no client asked for this
 * @param timeout milliseconds that the answer may be silent within its body, and twice as many all of it; 0: for ever
 * @returns undefined where the client is gone
 */
export async function readRecord(
  upstream: Upstream,
  name: RecordName,
  asker: Omit<Asker, 'cameAt'>,
  timeout: number,
): Promise<Reading | undefined> {
  const { socket } = asker.stream as Partial<IncomingMessage>;
  const gone = new AbortController();
  const onGone = () => gone.abort();
  socket?.once('close', onGone);
  if (socket?.destroyed) onGone();
  try {
    // The upstream waits for a head, but each interim one (1xx) begins that anew.
    const patience = { limit: MOST_BYTES, silence: timeout, longest: 2 * timeout };
    const asked = await ask(upstream, readingOf(asker), { ...patience, signal: gone.signal });
    return asked && (await readingIn(name, asked));
  } catch (error) {
    return { why: messageOf(error) };
  } finally {
    socket?.off('close', onGone);
  }
}

async function readingIn(name: RecordName, asked: NonNullable<Asked>): Promise<Reading> {
  if ('failure' in asked) return { why: asked.failure.message };
  if ('late' in asked) return { why: `the answer took longer than ${asked.late} ms` };
  const { head, body } = asked;
  if (head.status < 200 || head.status > 299 || head.status === 206)
    return { why: `it was answered with the status ${head.status}` };
  if (body.omitted !== undefined) return { why: `the answer has more than ${MOST_BYTES} bytes` };
  return recordOf(name, head, body.bytes);
}

/** The record that the whole body of an answer holds. */
export async function recordOf(
  { kind, id }: RecordName,
  { status, headers }: Pick<ResponseHead, 'status' | 'headers'>,
  bytes: Buffer,
): Promise<Reading> {
  const plain = await decodeContent(bytes, codingOf(headers), LEARNING_BOUNDS);
  if (!Buffer.isBuffer(plain))
    return isPastBounds(plain)
      ? { why: 'the answer would be too large once it is decoded' }
      : { why: 'the answer has a content coding that cannot be undone' };
  const json = isUtf8(plain) ? jsonOf({ text: plain.toString('utf8') }) : undefined;
  if (json === undefined) return { why: 'the answer is no JSON' };
  const { record, ...shown } = shownIn(kind, json, id);
  if (!record || shown.isPart) return { why: `the answer holds no whole ${kind}` };
  return { shown: { ...shown, record, isDated: shown.isDated || status !== 200 || isDated(headers) } };
}

/** The GET that is made of a PATCH. */
function readingOf({ url, headers, stream, session }: Omit<Asker, 'cameAt'>): UpstreamRequest {
  const kept = withoutHeaders(headers, isOfPatch);
  return {
    method: 'GET',
    url: withoutMethod(url),
    headers: [
      ...kept,
      'Accept',
      'application/json',
      'Accept-Encoding',
      'identity',
      'Cache-Control',
      'no-cache',
    ],
    body: NO_BODY,
    json: undefined,
    stream,
    session,
  };
}

const MADE_ANEW = ['accept', 'accept-encoding', 'cache-control', 'pragma'];
const OF_BODY = ['transfer-encoding', 'te', 'trailer', 'expect', 'digest', 'repr-digest', 'idempotency-key'];
const NAMES: ReadonlySet<string> = new Set([...MADE_ANEW, ...OF_BODY, ...METHOD_OVERRIDES, 'range']);

/** What is said of the PATCH alone: its body, its conditions, what it really is. Names as servers read them. */
const isOfPatch = byHeaderName((header) => {
  const name = looseHeaderName(header);
  return NAMES.has(name) || /^(?:content|if|patchgate)-/.test(name);
});

/** Without what may say in the query that it is a PATCH: what only some read so as well, and what nobody can read. */
function withoutMethod(url: string): string {
  const { path, query } = splitTarget(url);
  const kept = query.split('&').filter((parameter) => !parameter.split(';').some(mayNameMethod));
  return kept.join('') === '' ? path : `${path}?${kept.join('&')}`;
}

function mayNameMethod(parameter: string): boolean {
  const name = parameter.replace(/=.*/s, '');
  try {
    return /method|%/i.test(decodeURIComponent(name).replace(/[^a-z%]/gi, ''));
  } catch {
    return true;
  }
}
