import type { IncomingMessage } from 'node:http';
import { messageOf, PatchgateError } from '../errors.ts';
import { type Exchange, isInline, type RecordedResponse } from '../model/exchange.ts';
import { HOP_BY_HOP, header, type ResponseHead, splitTarget } from '../model/http.ts';
import { bodyBytes } from '../recordings/body.ts';
import { explainMiss } from '../recordings/matching/explain.ts';
import { type Match, matchRequest } from '../recordings/matching/match.ts';
import { SentRequest } from '../recordings/matching/sent-request.ts';
import type { RecordingStore } from '../recordings/store.ts';
import { readBytes } from './read-bytes.ts';
import type { Flow, ResponseSink, Upstream, UpstreamRequest } from './upstream.ts';

export interface ReplayOptions {
  /** Answers what no exchange matches; without it such a request fails with `no-recording`. */
  onMiss?: Upstream;
  /** Bytes of a request body that are read at most. Default 64 MiB. */
  bodyLimit?: number;
}

export interface ReplayUpstream extends Upstream {
  /** Every sequence of repeated requests starts anew. */
  reset(): void;
}

/** Sequences whose place is remembered; past it the longest unused one starts anew. */
const MOST_CURSORS = 100_000;

const NO_BODY = Buffer.alloc(0);
/** All bytes are handed over at once: there is nothing to hold back. */
const FLOW: Flow = { resume: () => undefined };

/**
 * Answers from a recording. The same request recorded several times is answered in the order of recording, and the last
 * answer repeats. Closing closes `onMiss`, not the store.
 */
export function replay(store: RecordingStore, options: ReplayOptions = {}): ReplayUpstream {
  const { onMiss, bodyLimit = 64 * 1024 * 1024 } = options;
  const cursors = new Map<string, number>();

  async function answer(request: UpstreamRequest, sink: ResponseSink, work: Work): Promise<void> {
    const body = request.body ?? (hasBody(request) ? await readBody(request, bodyLimit) : NO_BODY);
    if (body === undefined) return;
    const recorded = await store.find(request.method, splitTarget(request.url).path);
    if (work.isOver) return;
    const sent = new SentRequest(request, body, request.json);
    const match = matchRequest(recorded, sent);
    if (match) return send(request.method, next(match, cursors), sink);
    if (onMiss) {
      work.end = onMiss.handle({ ...request, body, json: undefined }, sink);
      return;
    }
    const miss = await explainMiss(store, recorded, sent.compared);
    if (work.isOver) return;
    throw new PatchgateError('no-recording', miss.text, {
      hint: 'send the request as it was recorded, or record it: patchgate proxy <target> --record',
      details: { recording: miss.recording, ...(miss.nearest && { nearest: miss.nearest }) },
    });
  }

  return {
    takesJson: true,
    handle(request, sink) {
      const work: Work = { isOver: false, end: () => undefined };
      answer(request, sink, work).catch((error: unknown) => {
        if (!work.isOver) sink.fail(asPatchgateError(error));
      });
      return () => {
        work.isOver = true;
        work.end();
      };
    },
    reset: () => cursors.clear(),
    close: async () => onMiss?.close(),
  };
}

interface Work {
  /** The client is gone. */
  isOver: boolean;
  /** Ends what `onMiss` does. */
  end: () => void;
}

function next({ key, exchanges }: Match, cursors: Map<string, number>): Exchange {
  if (exchanges.length === 1) return exchanges[0] as Exchange;
  const place = Math.min(cursors.get(key) ?? 0, exchanges.length - 1);
  // Taken out and put in again: the first in the map is the longest unused.
  cursors.delete(key);
  cursors.set(key, place + 1);
  if (cursors.size > MOST_CURSORS) cursors.delete(cursors.keys().next().value as string);
  return exchanges[place] as Exchange;
}

interface Answer {
  head: ResponseHead;
  body: Buffer;
}

/** Made once for each exchange that is kept in memory. */
const answers = new WeakMap<Exchange, Answer>();

function send(method: string, exchange: Exchange, sink: ResponseSink): void {
  let answer = answers.get(exchange);
  if (answer === undefined) {
    answer = answerOf(method, exchange.response as RecordedResponse);
    answers.set(exchange, answer);
  }
  sink.head(answer.head, FLOW, 'recording');
  sink.end(answer.body);
}

function answerOf(method: string, response: RecordedResponse): Answer {
  const { status } = response;
  const isHead = method === 'HEAD';
  const hasNoBody = isHead || status === 204 || status === 304;
  const body = hasNoBody || !isInline(response.body) ? NO_BODY : bodyBytes(response.body);
  const headers: string[] = [];
  for (const [name, value] of Object.entries(response.headers)) {
    // A file that people edit or bring from elsewhere may hold what belongs to another connection.
    if (HOP_BY_HOP.has(name) || (name === 'content-length' && !isHead)) continue;
    for (const one of typeof value === 'string' ? [value] : value) headers.push(name, one);
  }
  if (!hasNoBody) headers.push('content-length', String(body.length));
  return { head: { status, message: '', headers }, body };
}

/** The whole body of a request that nobody has read yet; undefined where the client broke off. */
function readBody(request: UpstreamRequest, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const stream = request.stream as IncomingMessage;
    readBytes(stream, limit, (bytes) => {
      if (bytes !== 'too-large') resolve(bytes);
      else {
        reject(
          new PatchgateError('request-too-large', `the request's body has more than ${limit} bytes`, {
            hint: 'only a request whose body fits into memory can be looked up in a recording',
          }),
        );
      }
    });
    // The gate pauses a body that is too large for judging.
    stream.resume();
  });
}

/** Without these two headers there is no body (RFC 9112 6.3). */
function hasBody({ headers }: UpstreamRequest): boolean {
  return (
    header(headers, 'content-length') !== undefined || header(headers, 'transfer-encoding') !== undefined
  );
}

function asPatchgateError(error: unknown): PatchgateError {
  if (error instanceof PatchgateError) return error;
  return new PatchgateError('internal', `the replay failed: ${messageOf(error)}`, { cause: error });
}
