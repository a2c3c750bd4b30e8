import type { PatchgateError } from '../errors.ts';
import { header, type ResponseHead } from '../http/http.ts';
import { BodyCollector, type CollectedBody } from './body-collector.ts';
import { inPieces, type ResponseSink, type Upstream, type UpstreamRequest } from './upstream.ts';

/** How long a whole answer may take, in milliseconds; 0: for ever. */
interface AskOptions {
  /** Bytes of a body that are kept; a longer one is not waited for. */
  limit: number;
  /** Between two pieces of the answer, once its head is there. How long the head may take is the upstream's affair. */
  silence: number;
  /** All of it: one that drips never ends. */
  longest: number;
  /** Ends it: the answer is not wanted any more. */
  signal: AbortSignal;
}

/** What came of a request: an answer, why there is none, after how many milliseconds it was given up; undefined: it was ended. */
export type AskResult =
  | { head: ResponseHead; body: CollectedBody }
  | { failure: PatchgateError }
  | { late: number }
  | undefined;

/** Sends a request of the gate's own, and waits for the whole answer. Redirects are not followed. */
export function ask(
  upstream: Upstream,
  request: UpstreamRequest,
  { limit, silence, longest, signal }: AskOptions,
): Promise<AskResult> {
  return new Promise((resolve, reject) => {
    const received = new BodyCollector(limit);
    let head: ResponseHead | undefined;
    let size = 0;
    let isOver = false;
    let cancel: (() => void) | undefined;
    let quiet: NodeJS.Timeout | undefined;
    const finish = (asked: AskResult) => {
      isOver = true;
      clearTimeout(quiet);
      clearTimeout(whole);
      signal.removeEventListener('abort', stop);
      resolve(asked);
    };
    const giveUp = (asked: AskResult) => {
      finish(asked);
      cancel?.();
    };
    const stop = () => giveUp(undefined);
    const answer = () => ({ head: head as ResponseHead, body: received.body() });
    const after = (ms: number) => (ms > 0 ? setTimeout(giveUp, ms, { late: ms }) : undefined);
    const whole = after(longest);
    const sink: ResponseSink = {
      whole: (response, answeredBy) => inPieces(sink, response, answeredBy),
      head(answered) {
        if (isOver) return;
        head = answered;
        if (request.method !== 'HEAD') received.expect(header(head.headers, 'content-length'));
        quiet = after(silence);
      },
      data(chunk) {
        if (isOver) return true;
        received.add(chunk);
        size += chunk.length;
        if (size > limit) giveUp(answer());
        else quiet?.refresh();
        return true;
      },
      end(last) {
        if (last) received.add(last);
        finish(answer());
      },
      fail: (failure) => finish({ failure }),
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) {
      stop();
      return;
    }
    try {
      cancel = upstream.handle(request, sink);
      // It may have answered already, with what is too long.
      if (isOver) cancel();
    } catch (error) {
      reject(error);
      finish(undefined);
    }
  });
}
