import type { RequestHead } from '../http/http.ts';
import { Pieces } from '../http/pieces.ts';
import type { Effect } from '../model/effect.ts';
import type { Verdict } from '../model/finding.ts';
import type { RecordName } from '../model/record.ts';
import type { AnsweredBy } from '../upstreams/upstream.ts';

/**
 * One request that the data path has finished with, whatever became of it: for the access log, the list of exchanges
 * and the event stream. Not redacted: that is done where it is shown.
 */
export interface FinishedExchange {
  /** Counts up from 1 within a run. */
  id: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
  /** When it was handed on to what answers, or to a fault; undefined: it was not. */
  handedOnAfterMs?: number | undefined;
  request: RequestHead;
  requestBody: BodyToShow | undefined;
  /** Undefined where the request was not judged. */
  verdict: Verdict | undefined;
  /** It changes a guarded record, and nobody can say what it deletes. */
  unguarded?: boolean | undefined;
  /** Who answered: the gate itself where it blocked, or nothing else did. */
  answeredBy: AnsweredBy;
  /** Undefined where the client went away before there was a response. */
  response: { status: number; headers: readonly string[]; body: BodyToShow | undefined } | undefined;
  /** What went wrong, in one sentence: target unreachable, response cut off, client gone, no recording. */
  failure: string | undefined;
  /** The fault that was injected into its answer, in one line. */
  fault?: string | undefined;
  /** Where somebody keeps account. */
  audited?: Audited | undefined;
  /** The name of its session; absent or `""` where it named none. */
  session?: string | undefined;
}

/** What the gate has found out of a request that it judged, or that changes a guarded record. */
export interface Audited {
  client: string | undefined;
  record: RecordName | undefined;
  /** All of them. */
  effects?: readonly Effect[] | undefined;
  isApproved?: boolean;
  approval?: string | undefined;
  /** The gate has let it go. */
  hasPassed?: boolean;
}

/** Patchgate could not do its work: its answer says nothing of the service. */
export function isOwnFailure({ answeredBy, response }: FinishedExchange): boolean {
  return answeredBy === 'gate' && response?.status === 500;
}

/** Bytes of a body that are kept for showing. */
const BYTES_KEPT = 65_536;

/** A body as it is kept for showing: its first bytes, and how many it has. */
export interface BodyToShow {
  bytes: Buffer;
  size: number;
}

/** The start of a body; undefined where it is empty. It shares the memory of the bytes given. @param size of the whole body */
export function bodyToShow(bytes: Buffer, size = bytes.length): BodyToShow | undefined {
  return size === 0 ? undefined : { bytes: bytes.subarray(0, BYTES_KEPT), size };
}

/** Keeps the first bytes of a body that goes by. */
export class BodyKeeper {
  readonly #start = new Pieces();
  #size = 0;

  add(chunk: Buffer): void {
    const room = BYTES_KEPT - this.#size;
    if (room > 0) this.#start.add(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#size += chunk.length;
  }

  /** What has gone by until now. */
  get kept(): BodyToShow | undefined {
    return bodyToShow(this.#start.joined(), this.#size);
  }
}
