import { LRUCache } from 'lru-cache';
import { messageOf } from '../errors.ts';
import { answerBounds, type Decoded, decodeContent } from '../http/decode-content.ts';
import { announcesBody, type RequestHead } from '../http/http.ts';
import { RECORD_LIMIT } from '../recordings/body.ts';
import { DEFAULT_RULES, type MatchRules } from '../recordings/match.ts';
import { type PlainExchange, plainExchangeOf, type SeenExchange } from '../recordings/plain-exchange.ts';
import { codingOf } from '../recordings/redact/redact.ts';
import { plainExchangeBeside } from '../recordings/redact-beside.ts';
import type { RecordingStore } from '../recordings/store.ts';
import { BodyCollector, bounded, type CollectedBody, NO_BODY, readAlong } from './bodies.ts';
import type { Answer, Upstream, UpstreamRequest } from './upstream.ts';

type Tell = (reason: string, request: RequestHead) => void;

export interface RecordOptions {
  /** What is redacted, which headers are kept besides, and which requests are the same. */
  rules?: MatchRules;
  /** Keeps only what was judged, what was answered below 400, or what is both. */
  only?: 'judged' | 'ok' | 'judged,ok' | undefined;
  /** Told of every exchange that is not kept, and why, in one sentence. */
  onSkipped?: Tell;
  /** Told once for each method and path of an exchange that is kept without a body, so that nothing can replay it. */
  onOmitted?: Tell;
}

/** Bytes of bodies that are redacted in a thread: it would hold the event loop for 20 ms and more. */
const WORTH_A_THREAD = 262_144;
const nobody: Tell = () => undefined;

/**
 * Passes everything through to an upstream and keeps what went by. An exchange is handed to the store before its last
 * byte goes out. What the target did not answer, or not whole, is not kept, nor what the client broke off. Closing leaves
 * the store open.
 */
export function record(upstream: Upstream, store: RecordingStore, options: RecordOptions = {}): Upstream {
  const { rules = DEFAULT_RULES, only = '', onSkipped = nobody, onOmitted = nobody } = options;
  const told = new LRUCache<string, true>({ max: 1000 });
  const large = new Set<Promise<void>>();

  /** Redacts it, and hands it to the store: at once, unless it is large. The client gets its answer whatever becomes of it. */
  const keep = (seen: SeenExchange, omitted: Omitted): Promise<void> | undefined => {
    const fail = (error: unknown) => onSkipped(`it could not be recorded: ${messageOf(error)}`, seen.request);
    const answered = Buffer.isBuffer(seen.decoded) ? seen.decoded : seen.responseBody;
    try {
      if (seen.requestBody.length + answered.length <= WORTH_A_THREAD) {
        append(plainExchangeOf(seen, rules.redaction, rules.headers), seen.request, omitted);
        return undefined;
      }
    } catch (error) {
      fail(error);
      return undefined;
    }
    const keeping = plainExchangeBeside(seen, rules.redaction, rules.headers)
      .then((exchange) => append(exchange, seen.request, omitted))
      .catch(fail)
      .finally(() => large.delete(keeping));
    large.add(keeping);
    return keeping;
  };

  const append = (exchange: PlainExchange, head: RequestHead, omitted: Omitted) => {
    const { request, response } = exchange;
    if (omitted.request !== undefined) request.omitted = omitted.request;
    if (omitted.response !== undefined) response.omitted = omitted.response;
    store.append(exchange);
    const which = (['request', 'response'] as const).find((one) => exchange[one].omitted !== undefined);
    const name = `${request.method} ${request.path}`.slice(0, 1000);
    if (!which || told.has(name)) return;
    told.set(name, true);
    const why =
      omitted[which] === undefined
        ? 'has a content coding that cannot be undone, so it is not known what it holds'
        : `has ${omitted[which]} bytes, more than the ${RECORD_LIMIT} that are kept`;
    onOmitted(`its ${which}'s body ${why}; it cannot be replayed`, head);
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
      if (only.includes('judged') && request.body === undefined) return answer;
      if (only.includes('ok') && answer.status >= 400) return answer;
      const over = ({ bytes: responseBody, omitted: response }: CollectedBody): Promise<void> | undefined => {
        if (sent && !sent.isWhole) {
          onSkipped("the request's body was not whole", request);
          return undefined;
        }
        const endedAt = Date.now();
        const asked = sent?.body() ?? bounded(request.body ?? NO_BODY, RECORD_LIMIT);
        const keepPlain = (decoded: Decoded) =>
          keep(
            {
              ...{ request, requestBody: asked.bytes, response: answer, responseBody, decoded },
              ...{ startedAt, endedAt, session: request.session.name },
            },
            { request: asked.omitted, response },
          );
        const coding = request.method === 'HEAD' ? undefined : codingOf(answer.headers);
        const decoded = decodeContent(responseBody, coding, answerBounds(RECORD_LIMIT));
        return decoded instanceof Promise ? decoded.then(keepPlain) : keepPlain(decoded);
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
    },
  };
}

/** Bytes of bodies that were too long to be kept. */
interface Omitted {
  request: number | undefined;
  response: number | undefined;
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
