import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { messageOf } from '../errors.ts';
import { answerBounds, decodeContent } from '../http/decode-content.ts';
import { announcesBody, type RequestHead } from '../http/http.ts';
import { RECORD_LIMIT } from '../recordings/body.ts';
import { DEFAULT_RULES, type MatchRules } from '../recordings/match-rules.ts';
import { type PlainExchange, plainExchangeOf, type SeenExchange } from '../recordings/plain-exchange.ts';
import { codingOf } from '../recordings/redact/redact.ts';
import { plainExchangeBeside } from '../recordings/redact-beside.ts';
import type { RecordingStore } from '../recordings/store.ts';
import { BodyCollector, bounded, type CollectedBody, NO_BODY, readAlong } from './bodies.ts';
import type { Answer, Upstream, UpstreamRequest } from './upstream.ts';

export interface RecordOptions {
  /** What is redacted, which headers are kept besides, and which requests are the same. */
  rules?: MatchRules;
  /** Keeps only what was judged, what was answered below 400, or what is both. */
  only?: 'judged' | 'ok' | 'judged,ok' | undefined;
  /** Told of every exchange that is not kept, and why, in one sentence. */
  onSkipped?: (reason: string, request: RequestHead) => void;
  /** Told once for each method and path of an exchange that is kept without a body, so that nothing can replay it. */
  onOmitted?: (reason: string, request: RequestHead) => void;
}

/**
 * Passes everything through to an upstream and keeps what went by. An exchange is handed to the store before its last
 * byte goes out. What the target did not answer, or not whole, is not kept, nor what the client broke off. Closing writes the store out, and leaves it open.
 */
export function record(upstream: Upstream, store: RecordingStore, options: RecordOptions = {}): Upstream {
  const { rules = DEFAULT_RULES, only = '' } = options;
  const isWanted = ({ isJudged, response }: CollectedExchange) =>
    (isJudged || !only.includes('judged')) && (response.status < 400 || !only.includes('ok'));
  const { onSkipped = () => undefined, onOmitted = () => undefined } = options;
  const told = new LRUCache<string, true>({ max: 1000 });
  const timeOf = risingTimes();
  const large = new Set<Promise<void>>();
  const keep = (seen: CollectedExchange): Promise<void> | undefined => {
    if (!isWanted(seen)) return undefined;
    const { requestBody, responseBody } = seen;
    try {
      const whole = { ...seen, requestBody: requestBody.bytes, responseBody: responseBody.bytes };
      if (isLarge(whole)) {
        const redacting = plainExchangeBeside(whole, rules.redaction, rules.headers).then(
          (exchange) => append(seen, exchange),
          (error) => onSkipped(`it could not be recorded: ${messageOf(error)}`, seen.request),
        );
        large.add(redacting);
        return redacting.finally(() => large.delete(redacting));
      }
      append(seen, plainExchangeOf(whole, rules.redaction, rules.headers));
    } catch (error) {
      // The client gets its response whatever becomes of the recording.
      onSkipped(`it could not be recorded: ${messageOf(error)}`, seen.request);
    }
    return undefined;
  };
  const append = (seen: CollectedExchange, exchange: PlainExchange) => {
    const { requestBody, responseBody } = seen;
    try {
      exchange.startedAt = timeOf(exchange.startedAt);
      if (requestBody.omitted !== undefined) exchange.request.omitted = requestBody.omitted;
      if (responseBody.omitted !== undefined) exchange.response.omitted = responseBody.omitted;
      store.append(exchange);
      tellUnread(seen, exchange);
    } catch (error) {
      // The client gets its response whatever becomes of the recording.
      onSkipped(`it could not be recorded: ${messageOf(error)}`, seen.request);
    }
  };
  const tellUnread = ({ request, requestBody, responseBody }: CollectedExchange, exchange: PlainExchange) => {
    const { method, path, omitted } = exchange.request;
    if (omitted === undefined && exchange.response.omitted === undefined) return;
    const name = hash('sha1', `${method} ${path}`, 'binary');
    if (told.has(name)) return;
    told.set(name, true);
    const [which, { omitted: counted }] =
      omitted === undefined ? ['response', responseBody] : ['request', requestBody];
    const why =
      counted === undefined
        ? 'has a content coding that cannot be undone, so it is not known what it holds'
        : `has ${counted} bytes, more than the ${RECORD_LIMIT} that are kept`;
    onOmitted(`its ${which}'s body ${why}; it cannot be replayed`, request);
  };

  return {
    async handle(request, signal) {
      const startedAt = Date.now();
      const sent = !request.body && announcesBody(request.headers) ? new SentBody(request) : undefined;
      let answer: Answer;
      try {
        answer = await upstream.handle(request, signal);
      } catch (error) {
        if (!signal.aborted) onSkipped(messageOf(error), request);
        throw error;
      }
      const over = (responseBody: CollectedBody): Promise<void> | undefined => {
        const endedAt = Date.now();
        const { headers } = answer;
        const coding = request.method === 'HEAD' ? undefined : codingOf(headers);
        const decoded = decodeContent(responseBody.bytes, coding, answerBounds(RECORD_LIMIT));
        if (sent && !sent.isWhole) {
          onSkipped("the request's body was not whole", request);
          return undefined;
        }
        const seen = {
          ...{ request, response: answer, startedAt, endedAt, responseBody },
          requestBody: sent?.body() ?? bounded(request.body ?? NO_BODY, RECORD_LIMIT),
          session: request.session.name,
          isJudged: request.body !== undefined,
        };
        return decoded instanceof Promise
          ? decoded.then((plain) => keep({ ...seen, decoded: plain }))
          : keep({ ...seen, decoded });
      };
      const { body } = answer;
      if (!Buffer.isBuffer(body)) {
        const cut = (error: unknown) => onSkipped(messageOf(error), request);
        return { ...answer, body: readAlong(body, RECORD_LIMIT, over, cut) };
      }
      const keeping = over(bounded(body, RECORD_LIMIT));
      if (keeping) await keeping;
      return answer;
    },
    async close() {
      await upstream.close();
      await Promise.all(large);
      await store.flush();
    },
  };
}

interface CollectedExchange extends Omit<SeenExchange, 'requestBody' | 'responseBody'> {
  requestBody: CollectedBody;
  responseBody: CollectedBody;
  isJudged: boolean;
}

/** Bytes of bodies that are redacted in a thread: it would hold the event loop for 20 ms and more. */
const WORTH_A_THREAD = 262_144;

function isLarge({ requestBody, responseBody, decoded }: SeenExchange): boolean {
  const answered = Buffer.isBuffer(decoded) ? decoded : responseBody;
  return requestBody.length + answered.length > WORTH_A_THREAD;
}

/** A request's body, of which somebody else reads the stream. It is whole once that has ended. */
class SentBody extends BodyCollector {
  isWhole = false;

  constructor({ stream }: UpstreamRequest) {
    super(RECORD_LIMIT);
    // Not `on`: that would start the flow, perhaps before the upstream listens.
    stream.prependListener('data', (chunk: Buffer) => this.add(chunk));
    stream.prependListener('end', () => {
      this.isWhole = true;
    });
  }
}

/** Milliseconds that a time is put off at most. */
const PUT_OFF_AT_MOST = 50;

/**
 * Times of exchanges that end one after the other, so that they tell the order: of several in one millisecond, the later ones
 * are put off. What began long before the one that ended last keeps its time.
 *
 * @returns takes milliseconds since the epoch
 */
export function risingTimes(): (time: number) => number {
  let last = 0;
  return (time) => {
    if (time < last - PUT_OFF_AT_MOST) return time;
    last = time > last ? time : Math.min(last + 1, time + PUT_OFF_AT_MOST);
    return last;
  };
}
