import type { Match } from '../contract/match-operation.ts';
import type { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { header, type RequestHead, type ResponseHead } from '../model/http.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { type Lesson, lessonOf } from '../state/lesson.ts';
import { BodyCollector } from '../upstreams/body-collector.ts';
import type { Session } from '../upstreams/session.ts';
import { TargetFailure } from '../upstreams/target-failure.ts';
import type { AnsweredBy, Flow, ResponseSink } from '../upstreams/upstream.ts';
import type { Learner } from './knowledge.ts';
import { ShownRecords } from './shown-records.ts';

/** Bytes of an answer that are read at most, to learn from it. */
const MOST = 5 * 1024 * 1024;
/** Milliseconds that a PATCH whose client is gone keeps others waiting at most. */
const LONGEST = 5000;

/** A request that may be about a record. */
export interface About {
  head: RequestHead;
  /** Undefined: it was not judged as a PATCH. */
  match: Match | undefined;
  /** Its body's value, where somebody has read it. */
  body: JsonValue | undefined;
  session: Session;
}

/** What learns from the answer to a request and hands it on to a sink; undefined where there is nothing to learn. */
export type Follow = (about: About, sink: ResponseSink) => Follower | undefined;

export function createFollow(
  gate: Pick<Gate, 'recordOf' | 'recordAt'>,
  { kinds, stateOf, counts }: Learner,
): Follow {
  const shown = new ShownRecords();
  return ({ head, match, body, session }, sink) => {
    const name = match ? gate.recordOf(match) : gate.recordAt(head.url);
    if (!name) return undefined;
    const state = stateOf(session);
    const isChange = match !== undefined || CHANGES.has(head.method);
    const isLearnt = kinds.includes(name.kind);
    // Of what is known all the same, what was sent says what it may be now; answers are not read.
    if (!isLearnt && !((isChange || head.method === 'DELETE') && state.of(name))) return undefined;
    const read: Read = (bytes, answered) => shown.in(bytes, answered, name, head.method);
    return new Follower(
      lessonOf(state, name, head, isChange, body),
      counts,
      sink,
      isLearnt ? read : undefined,
    );
  };
}

/** What is not judged as a PATCH and changes a record all the same, nobody knows in what way. */
export const CHANGES: ReadonlySet<string> = new Set(['PATCH', 'PUT', 'POST']);

type Read = (bytes: Buffer, head: ResponseHead) => JsonObject | undefined;

/** Hands an answer on, and learns from it before the client has all of it. */
export class Follower implements ResponseSink {
  /** Called once, when it is known what became of the request and the answer is over: the next one may change the record. */
  onOver: (() => void) | undefined;
  readonly #lesson: Lesson;
  readonly #counts: (answeredBy: AnsweredBy) => boolean;
  readonly #sink: ResponseSink;
  readonly #read: Read | undefined;
  #head: ResponseHead | undefined;
  #wantsBody = false;
  /** Of an answer that comes in several pieces. */
  #body: BodyCollector | undefined;
  #isOver = false;
  /** Its client is gone: ends the request. */
  #stop: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param counts whether an answer is the service's own
   * @param read the record that an answer's body shows; undefined: none of that is learnt
   */
  constructor(lesson: Lesson, counts: (answeredBy: AnsweredBy) => boolean, sink: ResponseSink, read?: Read) {
    this.#lesson = lesson;
    this.#counts = counts;
    this.#sink = sink;
    this.#read = read;
  }

  head(head: ResponseHead, flow: Flow, answeredBy: AnsweredBy): void {
    this.#head = head;
    // What a recording answers, the service has never had.
    if (!this.#counts(answeredBy)) this.#end(() => this.#lesson.failed('refused'));
    else this.#wantsBody = this.#read !== undefined && this.#lesson.wantsBody(head.status);
    if (this.#stop) {
      // It says what became of the PATCH, and nobody wants the rest.
      this.#end(() => this.#lesson.answered(head.status, undefined));
      this.#stop();
    } else this.#sink.head(head, flow, answeredBy);
  }

  data(chunk: Buffer): boolean {
    if (this.#wantsBody) this.#collected().add(chunk);
    return this.#sink.data(chunk);
  }

  end(last?: Buffer): void {
    const { status = 0 } = this.#head ?? {};
    this.#end(() => this.#lesson.answered(status, this.#record(last)));
    this.#sink.end(last);
    this.#over();
  }

  fail(error: PatchgateError): void {
    this.#end(() => this.#lesson.failed(error instanceof TargetFailure ? error.kind : undefined));
    this.#sink.fail(error);
    this.#over();
  }

  /** The client is gone, and nobody waits for the answer. */
  abandon(): void {
    this.#end(() => this.#lesson.failed(undefined));
    this.#over();
  }

  /**
   * The client is gone, but the service may be at work on its PATCH. Whoever changes the same record waits until it has said
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

  #record(last: Buffer | undefined): JsonObject | undefined {
    if (!this.#wantsBody || !this.#head) return undefined;
    let bytes = last;
    if (this.#body || (last && last.length > MOST)) {
      if (last) this.#collected().add(last);
      ({ bytes } = this.#collected().body());
    }
    return bytes?.length ? this.#read?.(bytes, this.#head) : undefined;
  }
}
