import type { PatchgateError } from '../errors.ts';
import { header, type RequestHead, type ResponseHead } from '../model/http.ts';
import type { JsonValue } from '../model/json.ts';
import type { RecordName } from '../model/record.ts';
import { undoCodings } from '../recordings/content-coding.ts';
import { type Lesson, lessonOf } from '../state/lesson.ts';
import { BodyCollector } from '../upstreams/body-collector.ts';
import type { Session } from '../upstreams/session.ts';
import { TargetFailure } from '../upstreams/target-failure.ts';
import type { AnsweredBy, Flow, ResponseSink } from '../upstreams/upstream.ts';
import type { Learner } from './knowledge.ts';

/** Bytes of an answer that are read at most, to learn from it. */
const MOST = 5 * 1024 * 1024;

/** A request about a record. */
export interface About {
  name: RecordName;
  head: RequestHead;
  /** It was judged, as a PATCH. */
  isJudged: boolean;
  /** Its body's value, where somebody has read it. */
  body: JsonValue | undefined;
  session: Session;
}

/** What learns from the answer to a request and hands it on to a sink; undefined where there is nothing to learn. */
export function followerOf(
  { kinds, stateOf, counts }: Learner,
  { name, head, isJudged, body, session }: About,
  sink: ResponseSink,
): Follower | undefined {
  const state = stateOf(session);
  const isChange = isJudged || CHANGES.has(head.method);
  if (kinds.includes(name.kind))
    return new Follower(lessonOf(state, name, head, isChange, body), counts, sink);
  // Of what is known all the same, a change makes that nobody knows.
  if (!(isChange || head.method === 'DELETE') || !state.of(name)) return undefined;
  const lesson = lessonOf(state, name, head, isChange, undefined);
  return new Follower({ ...lesson, wantsBody: () => false }, counts, sink);
}

/** What is not judged as a PATCH and changes a record all the same, nobody knows in what way. */
export const CHANGES: ReadonlySet<string> = new Set(['PATCH', 'PUT', 'POST']);

/** Hands an answer on, and learns from it before the client has all of it. */
export class Follower implements ResponseSink {
  readonly #lesson: Lesson;
  readonly #counts: (answeredBy: AnsweredBy) => boolean;
  readonly #sink: ResponseSink;
  #head: ResponseHead | undefined;
  #body: BodyCollector | undefined;
  #isOver = false;

  /** @param counts whether an answer is the service's own */
  constructor(lesson: Lesson, counts: (answeredBy: AnsweredBy) => boolean, sink: ResponseSink) {
    this.#lesson = lesson;
    this.#counts = counts;
    this.#sink = sink;
  }

  head(head: ResponseHead, flow: Flow, answeredBy: AnsweredBy): void {
    this.#head = head;
    // What a recording answers, the service has never had.
    if (!this.#counts(answeredBy)) this.#end(() => this.#lesson.failed('refused'));
    else if (this.#lesson.wantsBody(head.status)) {
      this.#body = new BodyCollector(MOST);
      this.#body.expect(header(head.headers, 'content-length'));
    }
    this.#sink.head(head, flow, answeredBy);
  }

  data(chunk: Buffer): boolean {
    this.#body?.add(chunk);
    return this.#sink.data(chunk);
  }

  end(last?: Buffer): void {
    if (last) this.#body?.add(last);
    const { status = 0 } = this.#head ?? {};
    this.#end(() => this.#lesson.answered(status, this.#json()));
    this.#sink.end(last);
  }

  fail(error: PatchgateError): void {
    this.#end(() => this.#lesson.failed(error instanceof TargetFailure ? error.kind : undefined));
    this.#sink.fail(error);
  }

  /** The client is gone, and nobody waits for the answer. */
  abandon(): void {
    this.#end(() => this.#lesson.failed(undefined));
  }

  #end(learn: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    learn();
    this.#body = undefined;
  }

  #json(): JsonValue | undefined {
    const { bytes } = this.#body?.body() ?? {};
    if (!bytes?.length) return undefined;
    const plain = undoCodings(bytes, header(this.#head?.headers ?? [], 'content-encoding'), 'target');
    try {
      return plain && (JSON.parse(plain.toString('utf8')) as JsonValue);
    } catch {
      // It shows no record.
      return undefined;
    }
  }
}
