import type { Readable } from 'node:stream';
import { PatchgateError } from '../errors.ts';
import type { Decoded } from '../http/decode-content.ts';
import type { RequestHead, ResponseHead } from '../http/http.ts';
import type { JsonValue } from '../json/json.ts';
import type { Session } from './session.ts';

/** A request that passed the gate, on its way to whatever answers it. */
export interface UpstreamRequest extends RequestHead {
  /** Where the request was judged: the very bytes. Undefined: nothing was read, `stream` has the body. */
  body: Buffer | undefined;
  /** The judged body as a value, for an upstream that `takesJson`; undefined where it was not judged or is no JSON. */
  json: JsonValue | undefined;
  /** The client's message. Still unread where `body` is undefined. http-proxy and WebSockets need the real one. */
  stream: Readable;
  session: Session;
}

/** Whose answer it is: `gate` where it gives one itself. */
export type AnsweredBy = 'gate' | 'target' | 'fake' | 'recording';

/** Lets a slow receiver hold the sender back. */
export interface Flow {
  resume(): void;
}

/** Bytes that a body may have to be handed over with its head, as one value. */
export const WHOLE_AT_MOST = 1_048_576;

/** A response that is there to its last byte. */
export interface WholeResponse extends ResponseHead {
  /** Empty where there is none. */
  body: Buffer;
  /** The same without its content codings, where they have been undone already. */
  decoded?: Decoded;
}

/**
 * Receives one response: `whole`, or as it comes by `head`, any number of `data`, then `end`; or `fail` at any moment. What
 * the server, a recorder or a test puts behind an upstream.
 */
export interface ResponseSink {
  /** All of a small response. @param answeredBy who it is that answers */
  whole(response: WholeResponse, answeredBy: AnsweredBy): void;
  /** The beginning of one that is large, or whose length is not announced. */
  head(head: ResponseHead, flow: Flow, answeredBy: AnsweredBy): void;
  /** False: send no more until the flow is resumed. */
  data(chunk: Buffer): boolean;
  /** The chunk that completes a response of known length comes here, never with `data`: until `end` returns, the
   *  client cannot have the whole response. */
  end(last?: Buffer): void;
  /** Before `head`: the client gets a problem. After it: the response is cut off, visibly. */
  fail(error: PatchgateError): void;
}

/** Hands a whole response to a sink that takes all of them as they come. */
export function inPieces(
  sink: Omit<ResponseSink, 'whole'>,
  response: WholeResponse,
  answeredBy: AnsweredBy,
): void {
  sink.head(response, NOTHING_WAITS, answeredBy);
  sink.end(response.body.length > 0 ? response.body : undefined);
}

const NOTHING_WAITS: Flow = { resume: () => undefined };

/** What answers a request that passed: the target, the fake or a recording. */
export interface Upstream {
  /** It compares bodies. Any other is not given their values, which take many times the memory of their bytes. */
  takesJson?: true;
  /** Answers into the sink. The function returned ends the work early, when the client is gone. */
  handle(request: UpstreamRequest, sink: ResponseSink): () => void;
  /** Finishes what is being written and frees what is held. */
  close(): Promise<void>;
}

/** Why a request has no answer, or no whole one, that was still open when the gate was stopped. */
export const STOPPED = 'Patchgate was stopped before the answer was complete';

export function stopped(): PatchgateError {
  return new PatchgateError('interrupted', STOPPED, { hint: 'send the request again once it runs' });
}
