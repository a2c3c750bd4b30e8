import { messageOf, PatchgateError } from '../errors.ts';
import { splitTarget } from '../http/http.ts';
import type { RecordedAnswer, StoredExchange } from '../recordings/exchange-index.ts';
import { type ExchangeIndex, ofSession } from '../recordings/exchange-index.ts';
import { explainMiss } from '../recordings/explain.ts';
import { DEFAULT_RULES, type MatchRules, SentRequest } from '../recordings/match.ts';
import { pathsWithToken, redactPath } from '../recordings/redact/redact.ts';
import type { RecordingStore } from '../recordings/store.ts';
import { bodyOfRequest, NO_BODY } from './bodies.ts';
import type { Echo } from './replay/echo.ts';
import { Misses } from './replay/misses.ts';
import { refusal, Sequences } from './replay/sequences.ts';
import { findUnserved, type Unserved } from './replay/unserved.ts';
import type { Session } from './session.ts';
import type { Answer, Upstream, UpstreamRequest } from './upstream.ts';

export interface ReplayOptions {
  /** Answers what no exchange matches, or none that can be an answer; without it such a request fails with `no-recording`. */
  onMiss?: Upstream | undefined;
  /** Bytes of a request body that are read at most. Default 64 MiB. */
  bodyLimit?: number;
  /** When a request is a recorded one. */
  rules?: MatchRules;
  /** The last answer of a sequence does not repeat. */
  strictSequence?: boolean;
  /** Puts values of a request into its answer. */
  echo?: Echo | undefined;
}

export interface ReplayUpstream extends Upstream {
  /** What was refused. */
  readonly misses: Misses;
  /** Reads every file of the recording. @param session of what was recorded in this one alone; `""`: in none
   *  @throws PatchgateError where one is broken */
  unserved(session?: string): Unserved;
}

/** What browsers ask for of themselves, whatever page is open. */
const OF_BROWSERS =
  /^\/(?:favicon\.ico|apple-touch-icon(?:-precomposed)?\.png|\.well-known\/appspecific\/com\.chrome\.devtools\.json)$/;

/** Paths of requests of which it is remembered what is recorded for them. */
const MOST_PATHS = 100_000;

/** What is recorded for a request's method and path. */
interface Recorded {
  /** That of the request, redacted. */
  path: string;
  /** That under which it is recorded. */
  recordedPath: string;
  exchanges: ExchangeIndex;
}

/**
 * Answers from a recording: each session with what was recorded in one of its name, where there is such. The same request
 * recorded several times is answered in the order of recording, in each session by itself, and the last answer repeats.
 * Closing closes `onMiss`, not the store.
 */
export function replay(store: RecordingStore, options: ReplayOptions = {}): ReplayUpstream {
  const {
    onMiss,
    bodyLimit = 64 * 1024 * 1024,
    rules = DEFAULT_RULES,
    strictSequence = false,
    echo,
  } = options;
  const startedAt = Date.now();
  const served = new Set<StoredExchange>();
  const misses = new Misses(rules.redaction);
  const sequences = new Sequences(strictSequence);
  /** By method and path as sent. */
  const known = new Map<string, Recorded>();

  const answer = (request: UpstreamRequest, body: Buffer, signal: AbortSignal): Answer | Promise<Answer> => {
    const { method, session } = request;
    const { recorded, all, own, choice } = chosen(request, body);
    if (choice && !choice.reason) {
      sequences.advance(session, all, own, choice.place);
      served.add(choice.stored);
      const answer = choice.stored.answer as RecordedAnswer;
      return echo ? echo(request, body, answer) : answer;
    }
    if (onMiss) {
      if (choice?.reason === 'already-served') sequences.pass(session, all);
      // What comes behind answers of the default session belongs there, too.
      const inSession = own[0]?.session === '' ? { ...session, name: '' } : session;
      return onMiss.handle({ ...request, session: inSession, body, json: undefined }, signal);
    }
    if (method === 'GET' && OF_BROWSERS.test(recorded.path))
      throw new PatchgateError(
        'not-found',
        'it is not recorded, and no miss: browsers ask any server for it',
      );
    throw choice ? refusal(store.name, choice) : missed(request, body, recorded);
  };

  const chosen = (request: UpstreamRequest, body: Buffer) => {
    const { method, url, session } = request;
    const { path, query } = splitTarget(url);
    const recorded = recordedFor(method, path);
    const all = matching(request, query, body, recorded);
    const own = ofSession(all, session.name);
    const isOpen = all.length > 0 && mayAnswer(own, session);
    return { recorded, all, own, choice: isOpen ? sequences.choose(session, all, own) : undefined };
  };

  /** Looks under the path, redacted; then with a segment as a token. */
  const recordedFor = (method: string, sent: string): Recorded => {
    const key = `${method} ${sent}`;
    const before = known.get(key);
    if (before) return before;
    const path = redactPath(sent, rules.redaction);
    const under = (recordedPath: string) => ({
      ...{ path, recordedPath, exchanges: store.exchanges(method, recordedPath) },
    });
    const places = [path, ...pathsWithToken(sent)].map(under);
    const found = places.find(({ exchanges }) => exchanges.length > 0);
    if (!found) return places[0] as Recorded;
    // What is recorded on the way may be for the very path, and name its secrets.
    if (!store.isWritable && known.size < MOST_PATHS) known.set(key, found);
    return found;
  };

  const sentRequest = (request: UpstreamRequest, body: Buffer, path: string) =>
    SentRequest.of(request, body, rules, path);

  const matching = (
    request: UpstreamRequest,
    query: string,
    body: Buffer,
    { exchanges, recordedPath }: Recorded,
  ): readonly StoredExchange[] => {
    if (exchanges.length === 0) return [];
    return exchanges.withBytes(query, body) ?? exchanges.find(sentRequest(request, body, recordedPath));
  };

  /** What others recorded may do for a test that is replayed; one that is being recorded asks for its own. */
  const mayAnswer = ([first]: readonly StoredExchange[], { name }: Session): boolean =>
    !(onMiss && store.isWritable) || first?.session === '' || first?.session === name;

  const missed = (request: UpstreamRequest, body: Buffer, of: Recorded): PatchgateError => {
    const own = ofSession(of.exchanges.all, request.session.name);
    const sent = sentRequest(request, body, of.recordedPath);
    const { text, hint, recording, reason, nearest } = explainMiss(store, own, sent);
    const sentAs = of.recordedPath === of.path ? '' : `; sent as ${of.path}`;
    const details = { recording, reason, ...(nearest && { nearest }) };
    return new PatchgateError('no-recording', text + sentAs, { hint, details });
  };

  const answerOrMiss: typeof answer = (request, body, signal) => {
    try {
      return answer(request, body, signal);
    } catch (cause) {
      if (!(cause instanceof PatchgateError))
        throw new PatchgateError('internal', `the replay failed: ${messageOf(cause)}`, { cause });
      if (cause.code === 'no-recording') misses.add(request, cause);
      throw cause;
    }
  };

  /** At once, where the store reads at once. */
  const answerBytes: typeof answer = (request, body, signal) => {
    const { method, url } = request;
    const reading = store.ready?.(method, recordedFor(method, splitTarget(url).path).recordedPath);
    return reading
      ? reading.then(() => answerOrMiss(request, body, signal))
      : answerOrMiss(request, body, signal);
  };

  return {
    handle(request, signal) {
      const body = bodyOfRequest(request, bodyLimit);
      if (Buffer.isBuffer(body)) return answerBytes(request, body, signal);
      return body.then((bytes) => answerBytes(request, bytes, signal));
    },
    // A database that has not read the path yet cannot say so at once.
    holds(request) {
      const { method, url, body = NO_BODY } = request;
      if (!onMiss || store.ready?.(method, splitTarget(url).path)) return false;
      const { choice } = chosen(request, body);
      return choice !== undefined && !choice.reason;
    },
    misses,
    unserved: (session) => findUnserved(store, served, startedAt, rules.redaction, session),
    close: async () => onMiss?.close(),
  };
}
