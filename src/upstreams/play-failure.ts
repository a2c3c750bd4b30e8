import { PatchgateError } from '../errors.ts';
import { HOP_BY_HOP } from '../http/http.ts';
import type { Exchange, RecordedResponse } from '../model/exchange.ts';
import type { Flow, ResponseSink } from './upstream.ts';

const HINT = 'without --replay-failures it is as if it had not been recorded';

/**
 * Fails as the target did when the exchange was recorded, so that the client sees what it saw then: a problem, or the
 * beginning of a response. A timeout comes at once.
 *
 * @param body what came of a truncated response's; it is not empty only there
 * @returns ends it, when the client is gone
 */
export function playFailure(
  { failure, response, meta }: Exchange,
  body: Buffer,
  sink: ResponseSink,
): () => void {
  switch (failure?.kind) {
    case 'truncated':
      return playTruncated(response as RecordedResponse, meta.durationMs, body, sink);
    case 'timeout':
      sink.fail(
        problem(
          'target-timeout',
          `the target had not answered after ${meta.durationMs} ms, when it was given up`,
        ),
      );
      break;
    case 'refused':
      sink.fail(problem('target-unreachable', 'no connection to the target could be made'));
      break;
    default:
      sink.fail(problem('target-unreachable', 'the connection to the target broke before it had answered'));
  }
  return () => undefined;
}

/** With its bytes on the wire, the rest is cut off. */
function playTruncated(
  response: RecordedResponse,
  tookMs: number,
  body: Buffer,
  sink: ResponseSink,
): () => void {
  let isOver = false;
  const cut = () => {
    // What was written goes out when this turn has ended.
    setImmediate(() => {
      if (!isOver) sink.fail(problem('target-unreachable', 'the response of the target was cut off'));
      isOver = true;
    });
  };
  const headers: string[] = [];
  let announced = Number.POSITIVE_INFINITY;
  for (const [name, value] of Object.entries(response.headers)) {
    if (HOP_BY_HOP.has(name)) continue;
    if (name === 'content-length') announced = Number(value);
    for (const one of [value].flat()) headers.push(name, one);
  }
  const flow: Flow = { resume: cut };
  sink.head({ status: response.status, message: '', headers, tookMs }, flow, 'recording');
  // A placeholder may be longer than what it stands for: even so, the client must not take this for the whole.
  const bytes = body.subarray(0, Math.max(0, announced - 1));
  if (sink.data(bytes)) cut();
  return () => {
    isOver = true;
  };
}

function problem(code: 'target-timeout' | 'target-unreachable', what: string): PatchgateError {
  return new PatchgateError(code, `recorded: ${what}`, { hint: HINT });
}
