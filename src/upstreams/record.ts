import { messageOf } from '../errors.ts';
import { answerBounds, type Decoded, decodeContent } from '../http/decode-content.ts';
import { announcesBody, type RequestHead } from '../http/http.ts';
import { isoTime } from '../iso-time.ts';
import { plainExchangeBeside } from '../recordings/beside.ts';
import { RECORD_LIMIT } from '../recordings/body.ts';
import { DEFAULT_RULES, type MatchRules } from '../recordings/match.ts';
import { plainExchangeOf, type SeenExchange, tooLong } from '../recordings/plain-exchange.ts';
import { codingOf } from '../recordings/redact/redact.ts';
import type { RecordingStore } from '../recordings/store.ts';
import { BodyCollector, bounded, type CollectedBody, NO_BODY, readAlong } from './bodies.ts';
import type { Answer, Upstream } from './upstream.ts';

export interface RecordOptions {
  /** They say what is secret, which further headers are kept, and which requests are the same. */
  rules?: MatchRules;
  /** Keeps only exchanges that were judged, or answered below 400, or both. */
  only?: 'judged' | 'ok' | 'judged,ok' | undefined;
  /** Told of every exchange that is not kept, and why, in one sentence. @param isLeft the client left before the answer's end */
  onSkipped?: (reason: string, request: RequestHead, isLeft?: boolean) => void;
}

/** Bytes of bodies that are redacted in a thread: it would hold the event loop for 5 ms and more. */
const WORTH_A_THREAD = 65_536;

/**
 * Passes everything through to an upstream and keeps what went by. An exchange is handed to the store before its last
 * byte goes out. What the target did not answer, or not whole, is not kept, nor what the client broke off. Closing leaves
 * the store open.
 */
export function record(upstream: Upstream, store: RecordingStore, options: RecordOptions = {}): Upstream {
  const { rules = DEFAULT_RULES, only = '', onSkipped = () => undefined } = options;
  const large = new Set<Promise<void>>();

  /** Redacts it, and hands it to the store: at once, unless it is large. The client gets its answer whatever becomes of it. */
  const keep = (seen: SeenExchange): Promise<void> | undefined => {
    const fail = (error: unknown) => onSkipped(messageOf(error), seen.request);
    const answered = Buffer.isBuffer(seen.response.body) ? seen.response.body.length : 0;
    if (seen.request.body.length + answered > WORTH_A_THREAD) {
      const keeping = plainExchangeBeside(seen, rules)
        .then((exchange) => store.append(exchange))
        .catch(fail)
        .finally(() => large.delete(keeping));
      large.add(keeping);
      return keeping;
    }
    try {
      store.append(plainExchangeOf(seen, rules));
    } catch (error) {
      fail(error);
    }
    return undefined;
  };

  return {
    async handle(request, signal) {
      const { method, url, stream, session } = request;
      const startedAt = Date.now();
      const sent =
        !request.body && announcesBody(request.headers) ? new BodyCollector(RECORD_LIMIT) : undefined;
      // Not `on`: that would start the flow, perhaps before the upstream listens.
      if (sent) stream.prependListener('data', (chunk: Buffer) => sent.add(chunk));
      let answer: Answer;
      try {
        answer = await upstream.handle(request, signal);
      } catch (error) {
        if (!signal?.aborted) onSkipped(messageOf(error), request);
        throw error;
      }
      const { status, headers, body } = answer;
      if (only.includes('judged') && request.json === undefined) return answer;
      if (only.includes('ok') && status >= 400) return answer;

      const over = ({ bytes: answered, omitted }: CollectedBody): Promise<void> | undefined => {
        const asked = sent?.body() ?? bounded(request.body ?? NO_BODY, RECORD_LIMIT);
        const skip = (why: string) => void onSkipped(why, request);
        if (sent && !stream.readableEnded) return skip("the request's body was not whole");
        if (asked.omitted !== undefined) return skip(tooLong('request', asked.omitted).message);
        if (omitted !== undefined) return skip(tooLong('response', omitted).message);
        const meta = {
          recordedAt: isoTime(startedAt),
          durationMs: Math.max(0, Date.now() - startedAt),
          ...(session.name && { session: session.name }),
        };
        const keepPlain = (decoded: Decoded) =>
          keep({
            request: { method, url, headers: request.headers, body: asked.bytes },
            response: { status, headers, body: decoded },
            meta,
          });
        const coding = method === 'HEAD' ? undefined : codingOf(headers);
        const decoded = decodeContent(answered, coding, answerBounds(RECORD_LIMIT));
        return decoded instanceof Promise ? decoded.then(keepPlain) : keepPlain(decoded);
      };
      if (Buffer.isBuffer(body)) {
        const keeping = over(bounded(body, RECORD_LIMIT));
        if (keeping) await keeping;
        return answer;
      }
      const along = readAlong(body, RECORD_LIMIT, over, () => {
        body.destroy();
        if (!along.errored) onSkipped('the client went away before the answer was complete', request, true);
      });
      along.once('error', (error) => onSkipped(messageOf(error), request));
      return { ...answer, body: along };
    },
    async close() {
      await upstream.close();
      await Promise.all(large);
    },
  };
}
