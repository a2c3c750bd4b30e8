import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Match } from '../contract/match-operation.ts';
import type { RawHeaders, RequestHead } from '../http/http.ts';
import { Pieces } from '../http/pieces.ts';
import type { Effect } from '../model/effect.ts';
import type { Verdict } from '../model/finding.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import type { AnsweredBy, Session } from '../upstreams/upstream.ts';
import { type Client, clientOf } from './connections.ts';

/** One request that is over, whatever became of it: for log, audit, metrics and list. Not redacted: that is done when it is shown. */
export interface FinishedExchange {
  id: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
  /** When it was handed on to what answers, or to a fault; undefined: it was not. */
  handedOnAfterMs?: number | undefined;
  client?: Pick<Client, 'address'> | undefined;
  session?: Pick<Session, 'name'> | undefined;
  request: RequestHead;
  requestBody?: BodyToShow | undefined;
  /** The operation that could be meant. */
  match?: Match | undefined;
  /** Undefined if the request was not judged. */
  verdict?: Verdict | undefined;
  effects?: readonly Effect[] | undefined;
  /** It changes a guarded record, and nobody can say what it deletes. */
  unguarded?: true | undefined;
  isApproved?: boolean | undefined;
  /** Id of the approval that was used for it, or made of it. */
  approval?: string | undefined;
  /** An upstream has got it. */
  isSent?: true | undefined;
  /** The fault that was injected into its answer, in one line. */
  fault?: string | undefined;
  /** The gate itself if it blocked, or nothing else answered. */
  answeredBy: AnsweredBy;
  /** Undefined if the client went away before there was a response. */
  response?: { status: number; headers: RawHeaders; body?: BodyToShow | undefined } | undefined;
  /** What went wrong, in one sentence: target unreachable, response cut off, client gone, no recording. */
  failure?: string | undefined;
}

/** What all exchanges of a run share. */
export interface Run {
  redaction: Redaction;
  /** Numbers the requests of a run, from 1. */
  nextId(): number;
  /** Called once for each request, when it is over, before its answer can be there whole. */
  onFinished(exchange: FinishedExchange): void;
}

/** One request on its way. */
export type Exchange = FinishedExchange & ReturnType<typeof newExchange>;

export function newExchange(req: IncomingMessage, res: ServerResponse, run: Run) {
  return {
    id: run.nextId(),
    req,
    res,
    client: clientOf(req.socket),
    run,
    startedAt: Date.now(),
    started: performance.now(),
    durationMs: 0,
    request: { method: req.method as string, url: req.url as string, headers: req.rawHeaders },
    session: undefined as Session | undefined,
    body: undefined as Buffer | undefined,
    /** The body of the answer, if it flows. */
    flow: undefined as Readable | undefined,
    answeredBy: 'gate' as AnsweredBy,
    /** It is answered, or its client is gone. */
    isOver: false,
  };
}

/** Patchgate could not do its work: its answer says nothing of the service. */
export function isOwnFailure({ answeredBy, response }: FinishedExchange): boolean {
  return answeredBy === 'gate' && response?.status === 500;
}

/** Bytes of a body that are kept for showing. */
export const BYTES_KEPT = 65_536;

/** The first bytes of a body, and how many it has. */
export interface BodyToShow {
  readonly bytes: Buffer;
  readonly size: number;
}

export function bodyToShow(bytes: Buffer): BodyToShow {
  return { bytes: bytes.length > BYTES_KEPT ? bytes.subarray(0, BYTES_KEPT) : bytes, size: bytes.length };
}

/** Keeps the start of a body that goes by. */
export class BodyKeeper implements BodyToShow {
  size = 0;
  readonly #start = new Pieces();

  get bytes(): Buffer {
    return this.#start.joined();
  }

  add(chunk: Buffer): void {
    const room = BYTES_KEPT - this.size;
    if (room > 0) this.#start.add(chunk.subarray(0, room));
    this.size += chunk.length;
  }
}
