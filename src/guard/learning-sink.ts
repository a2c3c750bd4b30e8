import type { Match } from '../contract/match-operation.ts';
import type { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import { type Decoded, decodeContent, LEARNING_BOUNDS } from '../http/decode-content.ts';
import { header, mayMeanAnother, type RequestHead, type ResponseHead } from '../http/http.ts';
import type { JsonValue } from '../json/json.ts';
import type { ListName } from '../model/record.ts';
import { codingOf } from '../recordings/redaction/redact.ts';
import type { KnownState } from '../state/known-state.ts';
import { projectsIn } from '../state/records.ts';
import { type StateUpdate, stateUpdateOf } from '../state/state-update.ts';
import { BodyCollector } from '../upstreams/body-collector.ts';
import type { Session } from '../upstreams/session.ts';
import { TargetFailure } from '../upstreams/target.ts';
import type { AnsweredBy, Flow, ResponseSink, WholeResponse } from '../upstreams/upstream.ts';
import { clientOf } from './client.ts';
import type { Learner } from './knowledge.ts';
import { answerIn, ShownRecords, shownInKept, TEXT } from './shown-records.ts';

/** Bytes of an answer that are read at most, to learn from it. */
const MOST = 5 * 1024 * 1024;
/** Milliseconds that a PATCH whose client is gone keeps others waiting at most. */
const LONGEST = 5000;

/** A request that may be about a record. */
interface LearnableRequest {
  head: RequestHead;
  /** Undefined: it was not judged as a PATCH. */
  match: Match | undefined;
  /** Its body's value, where somebody has read it. */
  body: JsonValue | undefined;
  session: Session;
}

/** Undefined where there is nothing to learn from the answer. @param sink gets the answer */
type MakeLearningSink = (request: LearnableRequest, sink: ResponseSink) => LearningSink | undefined;

export function createLearningSinks(
  gate: Pick<Gate, 'recordOf' | 'recordAt' | 'listAt'>,
  { kinds, stateOf, counts, areAnswersKept = false, written }: Learner,
): MakeLearningSink {
  const records = areAnswersKept ? { in: shownInKept } : new ShownRecords();
  return ({ head, match, body, session }, sink) => {
    const name = match ? gate.recordOf(match) : gate.recordAt(head.url);
    const state = stateOf(session);
    if (!name) {
      const list = match ? undefined : gate.listAt(head.url);
      const listUpdate = list && kinds.includes(list.kind) ? listUpdateOf(state, list, head) : undefined;
      return listUpdate && new LearningSink(listUpdate, counts, sink, written);
    }
    const isChange = match !== undefined || CHANGES.has(head.method);
    // Of what is known all the same, a change says what it may be now.
    if (!kinds.includes(name.kind) && !((isChange || head.method === 'DELETE') && state.of(name)))
      return undefined;
    const update = stateUpdateOf(state, name, head, match !== undefined, isChange, body);
    const answered: AnswerUpdate['answered'] = ({ status, headers }, bytes) => {
      const shown = bytes && records.in(bytes, name, head.method);
      const isAsked = shown?.record && state.isLive(name.kind) && !mayMeanAnother(head.headers);
      update.answered({ status, headers, shown, ...(isAsked && { by: clientOf(head.headers) }) });
    };
    // What a judged PATCH does is in its lease.
    return new LearningSink({ ...update, answered }, counts, sink, match ? undefined : written);
  };
}

/** What is not judged as a PATCH and changes a record all the same, in a way that is not known. */
export const CHANGES: ReadonlySet<string> = new Set(['PATCH', 'PUT', 'POST']);

/** What a list of projects shows, and a project that was created, at `/accounts/{id}/projects`. */
function listUpdateOf(
  state: KnownState,
  list: ListName,
  { headers: asked }: RequestHead,
): AnswerUpdate | undefined {
  if (list.kind !== 'project' || !state.isLive(list.kind)) return undefined;
  return {
    wantsBody: (status) => status >= 200 && status < 300,
    answered(_, bytes) {
      const answer = bytes?.length ? answerIn(bytes) : undefined;
      if (answer === undefined || answer === TEXT) return;
      const by = mayMeanAnother(asked) ? undefined : clientOf(asked);
      for (const { id, record } of projectsIn(answer))
        state.read({ ...list, id }, true)({ record, isPart: true, ids: new Set() }, by);
    },
    failed: () => undefined,
  };
}

/** What an answer changes in what is known of its record: one of `answered` and `failed` is called, once. */
export interface AnswerUpdate extends Pick<StateUpdate, 'wantsBody' | 'failed'> {
  /** @param bytes of the answer's body without its content codings; undefined where they were not read */
  answered(head: Pick<ResponseHead, 'status' | 'headers'>, bytes: Buffer | undefined): void;
}

/** Hands an answer on, and learns from it before the client has all of it. */
export class LearningSink implements ResponseSink {
  /** Called once, when it is known what became of the request and the answer is over: the next one may change the record. */
  onOver: (() => void) | undefined;
  readonly #update: AnswerUpdate;
  readonly #counts: (answeredBy: AnsweredBy) => boolean;
  readonly #sink: ResponseSink;
  readonly #written: Learner['written'];
  #head: ResponseHead | undefined;
  #wantsBody = false;
  /** Of an answer that comes in several pieces. */
  #body: BodyCollector | undefined;
  #isOver = false;
  /** Its client is gone: ends the request. */
  #stop: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param counts whether an answer is the service's own @param written what the end of the answer waits for */
  constructor(
    update: AnswerUpdate,
    counts: (answeredBy: AnsweredBy) => boolean,
    sink: ResponseSink,
    written?: Learner['written'],
  ) {
    this.#update = update;
    this.#counts = counts;
    this.#sink = sink;
    this.#written = written;
  }

  whole(response: WholeResponse, answeredBy: AnsweredBy): void {
    if (this.#begins(response, answeredBy)) return;
    const { body, decoded } = response;
    const bytes = this.#wantsBody && body.length <= MOST ? body : undefined;
    this.#learn(response, bytes, decoded, () => this.#sink.whole(response, answeredBy));
  }

  head(head: ResponseHead, flow: Flow, answeredBy: AnsweredBy): void {
    if (!this.#begins(head, answeredBy)) this.#sink.head(head, flow, answeredBy);
  }

  data(chunk: Buffer): boolean {
    if (this.#wantsBody) this.#collected().add(chunk);
    return this.#sink.data(chunk);
  }

  end(last?: Buffer): void {
    this.#learn(this.#head ?? NO_HEAD, this.#bytes(last), undefined, () => this.#sink.end(last));
  }

  fail(error: PatchgateError): void {
    // What has no recording has reached no service either.
    const unsent = error.code === 'no-recording' ? 'refused' : undefined;
    this.#end(() => this.#update.failed(error instanceof TargetFailure ? error.kind : unsent));
    this.#sink.fail(error);
    this.#over();
  }

  /** The client is gone, and the answer is not waited for. */
  abandon(): void {
    this.#end(() => this.#update.failed(undefined));
    this.#over();
  }

  /**
   * The client is gone, but the service may be at work on its PATCH. A change of the same record waits until it has said
   * what became of that: what passes meanwhile it could undo. A service that hangs is not waited for long.
   *
   * @param cancel ends the request
   */
  outlive(cancel: () => void): void {
    const stop = () => {
      cancel();
      this.abandon();
    };
    if (!this.onOver || this.#head) stop();
    else {
      this.#stop = stop;
      this.#timer = setTimeout(stop, LONGEST).unref();
    }
  }

  /** @returns whether the client is gone */
  #begins(head: ResponseHead, answeredBy: AnsweredBy): boolean {
    this.#head = head;
    // What a recording answers, the service has never had.
    if (!this.#counts(answeredBy)) this.#end(() => this.#update.failed('refused'));
    else this.#wantsBody = this.#update.wantsBody(head.status);
    if (!this.#stop) return false;
    // It says what became of the PATCH, and the rest is not wanted.
    this.#end(() => this.#update.answered(head, undefined));
    this.#stop();
    return true;
  }

  /** @param bytes of the body; undefined: it is of no interest, or was not read */
  #learn(
    head: Pick<ResponseHead, 'status' | 'headers'>,
    bytes: Buffer | undefined,
    decoded: Decoded | undefined,
    answer: () => void,
  ): void {
    const learn = (plain: Decoded | undefined) => {
      const isRead = Buffer.isBuffer(plain) && plain.length <= LEARNING_BOUNDS.decoded;
      this.#end(() => this.#update.answered(head, isRead ? plain : undefined));
      const end = () => {
        answer();
        this.#over();
      };
      // Who sees a new environment may send a PATCH to another gate at once.
      const writing = this.#written?.();
      if (writing) void writing.then(end);
      else end();
    };
    const decoding = bytes && (decoded ?? decodeContent(bytes, codingOf(head.headers), LEARNING_BOUNDS));
    if (decoding instanceof Promise) void decoding.then(learn);
    else learn(decoding);
  }

  #over(): void {
    clearTimeout(this.#timer);
    const { onOver } = this;
    this.onOver = undefined;
    onOver?.();
  }

  #end(learn: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    learn();
    this.#wantsBody = false;
    this.#body = undefined;
  }

  #collected(): BodyCollector {
    if (!this.#body) {
      this.#body = new BodyCollector(MOST);
      this.#body.expect(header(this.#head?.headers ?? [], 'content-length'));
    }
    return this.#body;
  }

  #bytes(last: Buffer | undefined): Buffer | undefined {
    if (!this.#wantsBody) return undefined;
    if (!this.#body && (last?.length ?? 0) <= MOST) return last ?? NO_BYTES;
    if (last) this.#collected().add(last);
    const { bytes, omitted } = this.#collected().body();
    return omitted === undefined ? bytes : undefined;
  }
}

const NO_HEAD = { status: 0, headers: [] };
const NO_BYTES = Buffer.alloc(0);
