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
const FOR_EVER = 60_000;
const NEVER = new AbortController().signal;

/**
 * Has an upstream answer, and tells what came of it before the client has all of the answer.
 *
 * @param tells the answer alone says what the record is
 * @param outlives the service may be at work when the client is gone: its answer is waited for all the same
 * @param timeout milliseconds that the body of the answer may take; 0: a minute
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
    answer = await upstream.handle(request, outlives ? NEVER : x.client.signal);
  } catch (error) {
    over(isUnsent(error) ? 'unsent' : undefined);
    throw error;
  }
  const { status, headers, body, from } = answer;
  let told = false;
  const tell = (bytes: Buffer | undefined) => {
    if (!told) over(from === 'recording' ? 'unsent' : { status, headers, bytes });
    told = true;
  };
  const isWanted = tells && status >= 200 && status < 300 && from !== 'recording' && !x.isOver;
  const read = async ({ bytes, omitted }: CollectedBody) => {
    if (!isWanted || omitted !== undefined) return tell(undefined);
    const plain = await decodeContent(bytes, codingOf(headers), LEARNING_BOUNDS);
    tell(Buffer.isBuffer(plain) ? plain : undefined);
  };
  if (Buffer.isBuffer(body)) {
    await read(bounded(body, MOST));
    return answer;
  }
  if (x.isOver) {
    tell(undefined);
    return answer;
  }
  // Others wait for the record: not for ever.
  const wait = setTimeout(tell, timeout || FOR_EVER, undefined).unref();
  const along = readAlong(body, isWanted ? MOST : 0, read);
  along.once('close', () => {
    clearTimeout(wait);
    tell(undefined);
  });
  return { ...answer, body: along };
}

/** Whether the service has never had the request. */
function isUnsent(error: unknown): boolean {
  if (error instanceof NeverReached) return true;
  return error instanceof PatchgateError && error.code === 'no-recording';
}
