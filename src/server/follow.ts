import { PatchgateError } from '../errors.ts';
import type { Answered } from '../guard/kept.ts';
import { decodeContent, LEARNING_BOUNDS } from '../http/decode-content.ts';
import { codingOf } from '../recordings/redact/redact.ts';
import { bounded, type CollectedBody, readAlong } from '../upstreams/bodies.ts';
import { NeverReached } from '../upstreams/target.ts';
import type { Answer, Upstream, UpstreamRequest } from '../upstreams/upstream.ts';
import type { Exchange } from './exchange.ts';

/** Who is to be told once what came of a request, before the client has all of its answer. */
export interface Tell {
  over(answered: Answered): void;
  wantsBody: boolean;
  /** The service may be at work when the client is gone: its answer is waited for all the same. */
  outlives: boolean;
  /** Milliseconds that the body of an answer may take; 0: a minute. */
  timeout: number;
}

/** Bytes of an answer that are read at most. */
const MOST = 5 * 1024 * 1024;
const FOR_EVER = 60_000;
const NEVER = new AbortController().signal;

/** Has an upstream answer, and tells what came of it. */
export async function followed(
  x: Exchange,
  upstream: Upstream,
  request: UpstreamRequest,
  { over, wantsBody, outlives, timeout }: Tell,
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
  const isWanted = wantsBody && status >= 200 && status < 300 && from !== 'recording' && !x.isOver;
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
