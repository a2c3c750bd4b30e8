import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { PatchgateError } from '../errors.ts';
import type { RequestHead, ResponseHead } from '../http/http.ts';
import type { JsonValue } from '../json/json.ts';

/** Where a request says by name which session it is of. */
export const SESSION_HEADER = 'Patchgate-Session';

/** What some requests have in common: their places in the sequences of a recording, their state of the fake. */
export interface Session {
  /** Unique within a run: a session that was ended and begun anew is another one. */
  readonly id: number;
  /** As clients name it; `""` is that of the requests without a name. */
  readonly name: string;
}

/** A request that passed the gate, on its way to whatever answers it. */
export interface UpstreamRequest extends RequestHead {
  /** The very bytes, if they were read. Undefined: nothing was read, `stream` has the body. */
  body: Buffer | undefined;
  /** The judged body as a value; null if it is no JSON, undefined if it was not judged. */
  json: JsonValue | undefined;
  /** The client's message. */
  stream: IncomingMessage;
  session: Session;
}

/** Whose answer it is: `gate` for its own, `fault` if a fault stands in for the service. */
export type AnsweredBy = 'target' | 'recording' | 'fake' | 'gate' | 'fault';

/** Bytes that a body of known length may have to come as one buffer. */
export const WHOLE_AT_MOST = 1_048_576;

export interface Answer extends ResponseHead {
  /** A buffer if the body is small and its length is known before it comes; empty if there is none. */
  body: Buffer | Readable;
  from: AnsweredBy;
}

/** What answers requests that passed: the target, the fake or a recording. */
export interface Upstream {
  /**
   * @param signal the answer is not wanted any more, if it has not come yet; one that flows is ended by destroying its body.
   *   Absent: it is wanted, whatever becomes of the client
   * @throws PatchgateError (or rejects with one) if there is no answer; a body that is cut off errors with one
   */
  handle(request: UpstreamRequest, signal?: AbortSignal): Answer | Promise<Answer>;
  /** Whether it answers a request by itself, without the service. */
  holds?(request: UpstreamRequest): boolean;
  /** Finishes writing, and frees connections. */
  close(): Promise<void>;
}

/** Why a request has no answer, or no whole one, that was still open when the gate was stopped. */
export const STOPPED = 'Patchgate was stopped before the answer was complete';

export function stopped(): PatchgateError {
  return new PatchgateError('interrupted', STOPPED, { hint: 'send the request again once it runs' });
}
