import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
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
import type { RecordKind, RecordName } from '../model/record.ts';
import { jsonOf } from '../recordings/body.ts';
import { codingOf, redactText, redactUrl } from '../recordings/redaction/redact.ts';
import type { Redaction } from '../recordings/redaction/redaction.ts';
import type { KnownState } from '../state/known-state.ts';
import { type Shown, shownIn } from '../state/records.ts';
import { isDated } from '../state/state-update.ts';
import { type AskResult, ask } from '../upstreams/ask.ts';
import type { Upstream, UpstreamRequest } from '../upstreams/upstream.ts';
import { clientOf } from './client.ts';
import type { Asker, Knowledge } from './knowledge.ts';

interface ReadingOptions {
  /** Of which records a whole one can be told. */
  kinds: readonly RecordKind[];
  /** Milliseconds that an answer's body may take; 0: for ever. */
  timeout: number;
  redaction: Redaction;
  /** Takes one notice for people. */
  notice: (text: string) => void;
}

/** Readings of which it is remembered when they were over. */
const MOST_READ = 1000;
/** Reasons that are told once. */
const MOST_TOLD = 1000;

/**
 * Reads a record from the target with the headers of a PATCH of it, and learns what it holds and what is gone. One reading serves
 * all PATCHes of a client that came before it was over. What could not be read is told, each reason once for each record, and
 * tried again with the next PATCH.
 */
export function readingRecords(
  state: KnownState,
  target: Upstream,
  { kinds, timeout, redaction, notice }: ReadingOptions,
): NonNullable<Knowledge['confirm']> {
  const told = new LRUCache<string, true>({ max: MOST_TOLD });
  /** When the last reading was over, by client and URL; the oldest is the first. */
  const readAt = new LRUCache<string, number>({ max: MOST_READ });
  return async (name, asker) => {
    if (!kinds.includes(name.kind)) return;
    const by = clientOf(asker.headers);
    const key = `${by} ${asker.url}`;
    if ((readAt.get(key) ?? Number.NEGATIVE_INFINITY) >= asker.cameAt) return;
    // A query may ask for a part of it.
    const learn = state.confirm(name, by, splitTarget(asker.url).query !== '');
    const reading = await readRecord(target, name, asker, timeout);
    if (!reading) return;
    readAt.set(key, performance.now());
    if ('shown' in reading) return learn(reading.shown);
    const { account, kind, id } = name;
    const hashed = hash('sha1', JSON.stringify([account, kind, id, reading.why]), 'binary');
    if (told.has(hashed)) return;
    told.set(hashed, true);
    const shown = redactUrl(asker.url, redaction);
    notice(
      `what ${shown} holds could not be read: ${redactText(reading.why, redaction)}; so it is not known for sure what a PATCH of it deletes`,
    );
  };
}

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

async function readingIn(name: RecordName, asked: NonNullable<AskResult>): Promise<Reading> {
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

/** Without what may say in the query that it is a PATCH: what only some read so as well, and what cannot be read. */
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
