import { finished } from 'node:stream';
import { PatchgateError } from '../errors.ts';
import type { Answered } from '../guard/kept.ts';
import { decodeContent, LEARNING_BOUNDS } from '../http/decode-content.ts';
import { codingOf } from '../recordings/redact/redact.ts';
import { bounded, type CollectedBody, readAlong } from '../upstreams/bodies.ts';
import { NeverReached } from '../upstreams/target.ts';
import type { Answer, Upstream, UpstreamRequest } from '../upstreams/upstream.ts';
import type { Exchange } from './exchange.ts';

/** Bytes of an answer that are read at most. */
const MOST = 5 * 1024 * 1024;

/**
 * Has an upstream answer, and tells what came of it before the client has all of the answer.
 *
 * @param options `tells`: the answer alone says what the record is. `outlives`: it is waited for although the client is gone.
 *   `timeout`: milliseconds that its body may take; 0: a minute
 */
export async function followed(
  x: Exchange,
  upstream: Upstream,
  request: UpstreamRequest,
  over: (answered: Answered) => void,
  { tells, outlives, timeout }: { tells: boolean; outlives: boolean; timeout: number },
): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await upstream.handle(request, outlives ? undefined : x.client.gone.signal);
  } catch (error) {
    // Nobody knows what the service has done, unless it has never had the request.
    const isMiss = error instanceof PatchgateError && error.code === 'no-recording';
    over(isMiss || error instanceof NeverReached ? 'unsent' : undefined);
    throw error;
  }
  const { status, headers, body, from } = answer;
  let isTold = false;
  let wait: NodeJS.Timeout | undefined;
  const tell = (bytes?: Buffer) => {
    clearTimeout(wait);
    if (!isTold) over(from === 'recording' ? 'unsent' : { status, headers, bytes });
    isTold = true;
  };
  const isWanted = tells && from !== 'recording' && status >= 200 && status < 300;
  const read = async ({ bytes, omitted }: CollectedBody) => {
    if (!isWanted || omitted !== undefined) return tell();
    const plain = await decodeContent(bytes, codingOf(headers), LEARNING_BOUNDS);
    tell(Buffer.isBuffer(plain) ? plain : undefined);
  };
  if (Buffer.isBuffer(body)) {
    await (isWanted ? read(bounded(body, MOST)) : tell());
    return answer;
  }
  // Others wait for the record: also if the client is gone, but not for ever.
  const along = readAlong(body, isWanted ? MOST : 0, read, () => {
    if (outlives && !isTold) body.resume();
    else body.destroy();
    finished(body, () => tell());
  });
  wait = setTimeout(() => {
    tell();
    if (along.destroyed) body.destroy();
  }, timeout || 60_000).unref();
  return { ...answer, body: along };
}
