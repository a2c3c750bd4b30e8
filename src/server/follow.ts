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
const MINUTE = 60_000;

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
    answer = await upstream.handle(request, outlives ? undefined : x.client.signal);
  } catch (error) {
    // Nobody knows what the service has done, unless it has never had the request.
    const isMiss = error instanceof PatchgateError && error.code === 'no-recording';
    over(isMiss || error instanceof NeverReached ? 'unsent' : undefined);
    throw error;
  }
  const { status, headers, body, from } = answer;
  const isOfService = from !== 'recording';
  let isTold = false;
  const tell = (bytes?: Buffer) => {
    if (!isTold) over(isOfService ? { status, headers, bytes } : 'unsent');
    isTold = true;
  };
  const isWanted = tells && isOfService && status >= 200 && status < 300 && !x.isOver;
  const read = async ({ bytes, omitted }: CollectedBody) => {
    if (!isWanted || omitted !== undefined) return tell();
    const plain = await decodeContent(bytes, codingOf(headers), LEARNING_BOUNDS);
    tell(Buffer.isBuffer(plain) ? plain : undefined);
  };
  if (Buffer.isBuffer(body)) await read(bounded(body, MOST));
  else if (x.isOver) tell();
  else {
    // Others wait for the record: not for ever.
    const wait = setTimeout(tell, timeout || MINUTE, undefined).unref();
    const along = readAlong(body, isWanted ? MOST : 0, read);
    along.once('close', () => {
      clearTimeout(wait);
      tell();
    });
    return { ...answer, body: along };
  }
  return answer;
}
