import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { messageOf, type PatchgateError } from '../errors.ts';
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
import { inPieces, type ResponseSink, type Upstream, type UpstreamRequest } from '../upstreams/upstream.ts';
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
 * @param timeout milliseconds that the answer's body may take, and twice as many all of it; 0: for ever
 * @returns undefined where the client is gone
 */
export function readRecord(
  upstream: Upstream,
  name: RecordName,
  asker: Omit<Asker, 'cameAt'>,
  timeout: number,
): Promise<Reading | undefined> {
  return new Promise((resolve) => {
    const { socket } = asker.stream as Partial<IncomingMessage>;
    const chunks: Buffer[] = [];
    let size = 0;
    let head: ResponseHead | undefined;
    let cancel: (() => void) | undefined;
    let timer: NodeJS.Timeout | undefined;
    let isDone = false;
    const done = (reading: Reading | undefined) => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      socket?.off('close', onGone);
      resolve(reading);
    };
    const giveUp = (reading: Reading | undefined) => {
      done(reading);
      cancel?.();
    };
    const onGone = () => giveUp(undefined);
    const within = (ms: number) => {
      clearTimeout(timer);
      if (ms > 0 && !isDone)
        timer = setTimeout(() => giveUp({ why: `the answer took longer than ${ms} ms` }), ms);
    };
    const add = (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_BYTES) giveUp(TOO_LONG);
      else chunks.push(chunk);
    };
    const sink: ResponseSink = {
      whole: (response, answeredBy) => inPieces(sink, response, answeredBy),
      head(answered) {
        head = answered;
        const { status } = answered;
        if (status < 200 || status > 299 || status === 206)
          giveUp({ why: `it was answered with the status ${status}` });
        else within(timeout);
      },
      data(chunk) {
        if (!isDone) add(chunk);
        return true;
      },
      end(last) {
        if (last && !isDone) add(last);
        if (!isDone && head) void recordOf(name, head, Buffer.concat(chunks)).then(done);
      },
      fail: (error: PatchgateError) => done({ why: error.message }),
    };
    socket?.once('close', onGone);
    if (socket?.destroyed) return done(undefined);
    // The upstream waits for a head, but each interim one (1xx) begins that anew.
    within(2 * timeout);
    try {
      cancel = upstream.handle(readingOf(asker), sink);
    } catch (error) {
      done({ why: messageOf(error) });
    }
    // It may have answered already, with what is not to be read.
    if (isDone) cancel?.();
  });
}

const TOO_LONG: Reading = { why: `the answer has more than ${MOST_BYTES} bytes` };

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
