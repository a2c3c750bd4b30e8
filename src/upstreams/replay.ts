import { messageOf, PatchgateError } from '../errors.ts';
import type { Exchange } from '../model/exchange.ts';
import { announcesBody, header, splitTarget } from '../model/http.ts';
import type { KeptExchanges } from '../recordings/kept-exchanges.ts';
import { pathOnOtherSideOfBase } from '../recordings/matching/elsewhere.ts';
import { explainMiss } from '../recordings/matching/explain.ts';
import { MOST_COMPARED } from '../recordings/matching/explain-difference.ts';
import { DEFAULT_RULES, type MatchRules } from '../recordings/matching/match-rules.ts';
import { firstOfSession } from '../recordings/matching/of-session.ts';
import { SentRequest } from '../recordings/matching/sent-request.ts';
import { pathsWithToken, redactPath } from '../recordings/redaction/redact.ts';
import type { Run } from '../recordings/runs.ts';
import type { RecordingStore } from '../recordings/store.ts';
import { playFailure } from './play-failure.ts';
import { AnswerCache } from './replay/answer-cache.ts';
import { type Answering, whyUnanswerable } from './replay/answerable.ts';
import { Borrowed } from './replay/borrowed.ts';
import { lookUp } from './replay/look-up.ts';
import { Misses } from './replay/misses.ts';
import { readBody } from './replay/read-body.ts';
import { inlineBytes, type RecordedAnswer, recordedAnswer, separateBytes } from './replay/recorded-answer.ts';
import { refusal } from './replay/refusal.ts';
import { Sequences, type Taken } from './replay/sequences.ts';
import { Served } from './replay/served.ts';
import { StaleNotices } from './replay/stale-notices.ts';
import { findUnserved, type Unserved } from './replay/unserved.ts';
import type { ServedInSession, Session, SessionKeeper } from './session.ts';
import type { ResponseSink, Upstream, UpstreamRequest } from './upstream.ts';

export interface ReplayOptions extends Answering {
  /** Answers what no exchange matches, or none that can be an answer; without it such a request fails with
   *  `no-recording`. */
  onMiss?: Upstream;
  /** Bytes of a request body that are read at most. Default 64 MiB. */
  bodyLimit?: number;
  /** When a request is a recorded one. */
  rules?: MatchRules;
  /** Bytes of answers that are kept in memory, unless the store is written to. Default 0. */
  answerBytes?: number;
  /** The last answer of a sequence does not repeat. */
  strictSequence?: boolean;
  /** Takes one notice for people. */
  notice?: (text: string) => void;
}

export interface ReplayUpstream extends Upstream, SessionKeeper {
  served(session: Session): ServedInSession;
  /** What was refused. */
  readonly misses: Misses;
  /** Who was given what others recorded. */
  readonly borrowed: Borrowed;
  /** What was served since the beginning, for `leaveRun`. */
  run(): Run;
  /** Reads every file of the recording. @param session of what was recorded in this one alone; `""`: in none
   *  @throws PatchgateError where one is broken */
  unserved(session?: string): Promise<Unserved>;
}

/** What browsers ask for of themselves, whatever page is open. */
const OF_BROWSERS =
  /^\/(?:favicon\.ico|apple-touch-icon(?:-precomposed)?\.png|\.well-known\/appspecific\/com\.chrome\.devtools\.json)$/;

const NO_BODY = Buffer.alloc(0);

/**
 * Answers from a recording: each session with what was recorded in one of its name, where there is such. The same request
 * recorded several times is answered in the order of recording, in each session by itself, and the last answer repeats. An answer counts as served when it is handed to the client's
 * connection. Closing closes `onMiss`, not the store.
 */
export function replay(store: RecordingStore, options: ReplayOptions = {}): ReplayUpstream {
  const { onMiss, bodyLimit = 64 * 1024 * 1024, strictSequence = false, maxAge, notice } = options;
  const { rules = DEFAULT_RULES, answerBytes = 0 } = options;
  const startedAt = Date.now();
  const served = new Served();
  const misses = new Misses(rules.redaction);
  const borrowed = new Borrowed();
  const stale =
    maxAge === undefined ? undefined : new StaleNotices(store.name, maxAge, notice ?? (() => undefined));
  // What depends on the time, on headers or on what was asked before is found out each time.
  const mayCache =
    answerBytes > 0 &&
    !store.isWritable &&
    maxAge === undefined &&
    !strictSequence &&
    rules.name !== undefined;
  const cache = mayCache ? new AnswerCache(answerBytes) : undefined;
  const sequences = new Sequences(strictSequence, (exchange) => whyUnanswerable(exchange, options));

  async function answer(
    request: UpstreamRequest,
    sink: ResponseSink,
    work: Work,
    key?: string,
  ): Promise<void> {
    const body =
      request.body ?? (announcesBody(request.headers) ? await readBody(request, bodyLimit) : NO_BODY);
    if (body === undefined) return;
    const { path, recorded } = await recordedFor(request);
    if (work.isOver) return;
    const sent = SentRequest.of(request, body, request.json, rules, path);
    const found = lookUp(recorded, sent, request.session.name);
    // What others recorded may do for a test that is replayed; one that is being recorded asks for its own.
    const isRecorded = !(onMiss && store.isWritable && found?.isOfOthers());
    const taken = found && isRecorded ? sequences.take(request.session, found) : undefined;
    const isAsSent = path === pathOf(request);
    if (taken && 'giveBack' in taken)
      return serve(taken, request.session, sink, work, isAsSent ? key : undefined);
    if (onMiss) {
      if (found && taken?.reason === 'already-served') sequences.pass(request.session, found);
      const session = found ? { ...request.session, name: found.sessionToRecord() } : request.session;
      work.end = onMiss.handle({ ...request, session, body, json: undefined }, sink);
      return;
    }
    if (request.method === 'GET' && OF_BROWSERS.test(pathOf(request)))
      throw new PatchgateError(
        'not-found',
        'it is not recorded, and no miss: browsers ask any server for it',
      );
    if (taken) throw refusal(store.name, taken);
    const miss = await explainMiss(store, firstOf(recorded, request.session), sent);
    if (work.isOver) return;
    const sentAs = isAsSent ? '' : `; sent as ${pathOf(request)}`;
    throw new PatchgateError('no-recording', miss.text + sentAs, {
      hint: miss.hint,
      details: {
        recording: miss.recording,
        reason: miss.reason,
        ...(miss.nearest && { nearest: miss.nearest }),
      },
    });
  }

  async function serve(
    taken: Taken,
    session: Session,
    sink: ResponseSink,
    work: Work,
    key?: string,
  ): Promise<void> {
    const { exchange, index, isOnly, isOfSequence } = taken;
    let bytes: Buffer | undefined;
    const reading = separateBytes(exchange, store);
    if (reading) {
      try {
        bytes = await reading;
      } catch (error) {
        taken.giveBack();
        throw error;
      }
      if (work.isOver) return taken.giveBack();
    }
    const { method, path } = exchange.request;
    const { recordedAt } = exchange.meta;
    served.add(session, { method, path, index, recordedAt });
    borrowed.add(session, exchange);
    if (isOfSequence) misses.noteOrder(session.name);
    if (exchange.failure) work.end = playFailure(exchange, bytes ?? inlineBytes(exchange), sink);
    else {
      const answer = recordedAnswer(exchange, bytes);
      // To other sessions, one of a session is another thing to tell.
      if (key && isOnly && exchange.meta.session === undefined)
        cache?.add(key, { ...answer, index, recordedAt });
      send(answer, stale?.ageIfStale(exchange), sink);
    }
  }

  /** What was answered before, and is the only answer. @returns whether it was */
  function answerAgain(request: UpstreamRequest, key: string, sink: ResponseSink): boolean {
    const known = cache?.get(key);
    if (known === undefined) return false;
    const { index, recordedAt } = known;
    served.add(request.session, { method: request.method, path: pathOf(request), index, recordedAt });
    send(known, undefined, sink);
    return true;
  }

  /**
   * What is recorded under the path, redacted; else under the path as it was sent, or with one of its segments as a token; else under
   * the path with or without the base path.
   */
  async function recordedFor(request: UpstreamRequest): Promise<{ path: string; recorded: KeptExchanges }> {
    const { method, url } = request;
    const path = pathOf(request);
    const recorded = await store.look(method, path);
    if (recorded.length > 0) return { path, recorded };
    for (const other of pathsWithToken(splitTarget(url).path)) {
      const found = other === path ? recorded : await store.look(method, other);
      if (found.length > 0) return { path: other, recorded: found };
    }
    const other = await pathOnOtherSideOfBase(store, method, path);
    return other === undefined
      ? { path, recorded }
      : { path: other, recorded: await store.look(method, other) };
  }

  /** As the recording has it. */
  function pathOf({ url }: UpstreamRequest): string {
    return redactPath(splitTarget(url).path, rules.redaction);
  }

  function send({ head, body }: RecordedAnswer, age: string | undefined, sink: ResponseSink): void {
    const headers = age === undefined ? head.headers : [...head.headers, 'Patchgate-Stale', age];
    sink.whole({ ...head, headers, body }, 'recording');
  }

  return {
    takesJson: true,
    handle(request, sink) {
      const work: Work = { isOver: false, end: () => undefined };
      const key = cache && keyOf(request);
      if (key && answerAgain(request, key, sink)) return () => undefined;
      answer(request, sink, work, key).catch((thrown: unknown) => {
        const error = asPatchgateError(thrown);
        if (error.code === 'no-recording') misses.add(request, error);
        if (!work.isOver) sink.fail(error);
      });
      return () => {
        work.isOver = true;
        work.end();
      };
    },
    end: (session) => served.end(session),
    served: (session) => served.to(session),
    misses,
    borrowed,
    run: () => served.run(new Date(startedAt), new Date()),
    unserved: (session) => findUnserved(store, served, startedAt, rules, options, session),
    async close() {
      stale?.sum();
      await onMiss?.close();
    },
  };
}

/** Undefined where the bytes of the body are not here, or alone do not say what it is. */
function keyOf(request: UpstreamRequest): string | undefined {
  const body = request.body ?? (announcesBody(request.headers) ? undefined : NO_BODY);
  if (body === undefined || header(request.headers, 'content-encoding') !== undefined) return undefined;
  return AnswerCache.keyOf(request.method, request.url, body);
}

/** As many as explaining looks at, of what the session is given. */
function firstOf(recorded: KeptExchanges, { name }: Session): Exchange[] {
  return firstOfSession(recorded, name, MOST_COMPARED).map((index) => recorded.at(index));
}

interface Work {
  /** The client is gone. */
  isOver: boolean;
  /** Ends what `onMiss` does. */
  end: () => void;
}

function asPatchgateError(error: unknown): PatchgateError {
  if (error instanceof PatchgateError) return error;
  return new PatchgateError('internal', `the replay failed: ${messageOf(error)}`, { cause: error });
}
