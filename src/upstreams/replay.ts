import { messageOf, PatchgateError } from '../errors.ts';
import { announcesBody, splitTarget } from '../http/http.ts';
import { explainMiss } from '../recordings/explain.ts';
import { ofSession, SentRequest } from '../recordings/match.ts';
import { DEFAULT_RULES, type MatchRules } from '../recordings/match-rules.ts';
import { pathsWithToken, redactPath } from '../recordings/redact/redact.ts';
import type { ExchangesOfPath, RecordingStore } from '../recordings/store.ts';
import type { RecordedAnswer, StoredExchange } from '../recordings/stored-exchange.ts';
import { type BytesRead, NO_BODY, readBytes } from './bodies.ts';
import { Misses } from './replay/misses.ts';
import { type Chosen, refusal, type Sequence, Sequences } from './replay/sequences.ts';
import { CrossSessionHits, Served } from './replay/served.ts';
import { findUnserved, type Unserved } from './replay/unserved.ts';
import type { ServedInSession, Session, SessionKeeper } from './session.ts';
import type { Answer, Upstream, UpstreamRequest } from './upstream.ts';

export interface ReplayOptions {
  /** Answers what no exchange matches, or none that can be an answer; without it such a request fails with
   *  `no-recording`. */
  onMiss?: Upstream | undefined;
  /** Bytes of a request body that are read at most. Default 64 MiB. */
  bodyLimit?: number;
  /** When a request is a recorded one. */
  rules?: MatchRules;
  /** The last answer of a sequence does not repeat. */
  strictSequence?: boolean;
}

export interface ReplayUpstream extends Upstream, SessionKeeper {
  served(session: Session): ServedInSession;
  /** What was refused. */
  readonly misses: Misses;
  /** Who was given what others recorded. */
  readonly crossSessionHits: CrossSessionHits;
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
  exchanges: ExchangesOfPath;
}

/**
 * Answers from a recording: each session with what was recorded in one of its name, where there is such. The same request
 * recorded several times is answered in the order of recording, in each session by itself, and the last answer repeats. An answer
 * counts as served when it is handed to the client's connection. Closing closes `onMiss`, not the store.
 */
export function replay(store: RecordingStore, options: ReplayOptions = {}): ReplayUpstream {
  const { onMiss, bodyLimit = 64 * 1024 * 1024, rules = DEFAULT_RULES, strictSequence = false } = options;
  const startedAt = Date.now();
  const served = new Served(store);
  const misses = new Misses(rules.redaction);
  const crossSessionHits = new CrossSessionHits();
  const sequences = new Sequences(strictSequence);
  const bases = new BasePaths(store);
  /** By method and path as sent. */
  const known = new Map<string, Recorded>();

  function answer(request: UpstreamRequest, body: Buffer, signal: AbortSignal): Answer | Promise<Answer> {
    const { session } = request;
    const { path, query } = splitTarget(request.url);
    const recorded = recordedFor(request.method, path);
    const all = matching(request, query, body, recorded);
    const sequence = all.length === 0 ? undefined : { all, own: ofSession(all, session.name) };
    const choice = sequence && mayAnswer(sequence, session) ? sequences.choose(session, sequence) : undefined;
    if (choice && choice.reason === undefined) return serve(choice, session);
    if (onMiss) {
      if (sequence && choice?.reason === 'already-served') sequences.pass(session, sequence);
      // What comes behind answers of the default session belongs there, too.
      const inSession = sequence?.own[0]?.session === '' ? { ...session, name: '' } : session;
      return onMiss.handle({ ...request, session: inSession, body, json: undefined }, signal);
    }
    if (request.method === 'GET' && OF_BROWSERS.test(recorded.path))
      throw new PatchgateError(
        'not-found',
        'it is not recorded, and no miss: browsers ask any server for it',
      );
    throw choice ? refusal(store.name, choice) : missed(request, body, recorded);
  }

  /**
   * Looks under the path, redacted; then under the path as sent, or with one of its segments as a token; then under the path with or
   * without the base path.
   */
  function recordedFor(method: string, sent: string): Recorded {
    const key = `${method} ${sent}`;
    const before = known.get(key);
    if (before) return before;
    const path = redactPath(sent, rules.redaction);
    const found = lookUp(method, sent, path);
    // What is recorded on the way may be for the very path, and name its secrets.
    if (found.exchanges.length > 0 && !store.isWritable && known.size < MOST_PATHS) known.set(key, found);
    return found;
  }

  function lookUp(method: string, sent: string, path: string): Recorded {
    for (const recordedPath of [path, ...pathsWithToken(sent)]) {
      const exchanges = store.exchanges(method, recordedPath);
      if (exchanges.length > 0) return { path, recordedPath, exchanges };
    }
    const other = bases.otherPath(path);
    const exchanges = store.exchanges(method, other ?? path);
    // A miss of a base path that is recorded, too, is one of the path as sent.
    if (other === undefined || (exchanges.length === 0 && bases.has(path)))
      return { path, recordedPath: path, exchanges: store.exchanges(method, path) };
    return { path, recordedPath: other, exchanges };
  }

  function matching(
    request: UpstreamRequest,
    query: string,
    body: Buffer,
    { exchanges, recordedPath }: Recorded,
  ): readonly StoredExchange[] {
    if (exchanges.length === 0) return [];
    const known = exchanges.withBytes(query, body);
    if (known) return known;
    return exchanges.find(SentRequest.of(request, body, request.json, rules, recordedPath));
  }

  /** What others recorded may do for a test that is replayed; one that is being recorded asks for its own. */
  function mayAnswer({ own }: Sequence, { name }: Session): boolean {
    const owner = own[0]?.session;
    return !(onMiss && store.isWritable) || owner === '' || owner === name;
  }

  function serve(chosen: Chosen, session: Session): Answer {
    const { stored, sequence } = chosen;
    sequences.advance(session, chosen);
    if (sequence.own.length > 1) misses.noteOrder(session.name);
    served.add(session, stored);
    crossSessionHits.add(session, stored);
    return stored.answer as RecordedAnswer;
  }

  function missed(
    request: UpstreamRequest,
    body: Buffer,
    { path, recordedPath, exchanges }: Recorded,
  ): PatchgateError {
    const sent = SentRequest.of(request, body, request.json, rules, recordedPath);
    const own = ofSession(exchanges.all, request.session.name);
    const { text, hint, recording, reason, nearest } = explainMiss(store, own, sent);
    const sentAs = recordedPath === path ? '' : `; sent as ${path}`;
    return new PatchgateError('no-recording', text + sentAs, {
      hint,
      details: { recording, reason, ...(nearest && { nearest }) },
    });
  }

  /** At once, where the store reads at once. */
  function answerOrMiss(
    request: UpstreamRequest,
    body: Buffer,
    signal: AbortSignal,
  ): Answer | Promise<Answer> {
    try {
      return answer(request, body, signal);
    } catch (cause) {
      if (!(cause instanceof PatchgateError))
        throw new PatchgateError('internal', `the replay failed: ${messageOf(cause)}`, { cause });
      if (cause.code === 'no-recording') misses.add(request, cause);
      throw cause;
    }
  }

  function answerWhenReady(
    request: UpstreamRequest,
    body: Buffer,
    signal: AbortSignal,
  ): Answer | Promise<Answer> {
    const { recordedPath } = recordedFor(request.method, splitTarget(request.url).path);
    const reading = store.ready?.(request.method, recordedPath);
    return reading
      ? reading.then(() => answerOrMiss(request, body, signal))
      : answerOrMiss(request, body, signal);
  }

  return {
    handle(request, signal) {
      const { body, headers, stream } = request;
      if (body || !announcesBody(headers)) return answerWhenReady(request, body ?? NO_BODY, signal);
      return new Promise<BytesRead>((resolve) => readBytes(stream, bodyLimit, resolve)).then((bytes) => {
        if (Buffer.isBuffer(bytes)) return answerWhenReady(request, bytes, signal);
        throw bytes === 'too-large'
          ? tooLarge(bodyLimit)
          : new PatchgateError('malformed-request', 'the client broke off its request');
      });
    },
    end: (session) => served.end(session),
    served: (session) => served.to(session),
    misses,
    crossSessionHits,
    unserved: (session) => findUnserved(store, served, startedAt, rules, session),
    async close() {
      await onMiss?.close();
    },
  };
}

function tooLarge(limit: number): PatchgateError {
  return new PatchgateError('request-too-large', `the request's body has more than ${limit} bytes`, {
    hint: 'only a request whose body fits into memory can be looked up in a recording',
  });
}

/** Paths that are looked at for base paths. */
const MOST_PLACES = 1000;

/** The paths before `/accounts/` in a recording: a client's base URL may end with them or not, as in front of the target. */
class BasePaths {
  readonly #store: RecordingStore;
  #known: ReadonlySet<string> = new Set();

  constructor(store: RecordingStore) {
    this.#store = store;
  }

  /** The path with or without the one base path of the recording; undefined if there is none, or several. */
  otherPath(path: string): string | undefined {
    const at = path.indexOf(ACCOUNTS);
    if (at < 0) return undefined;
    const [base, ...more] = [...this.#bases].filter((one) => (one === '') !== (at === 0));
    return base === undefined || more.length > 0 ? undefined : base + path.slice(at);
  }

  has(path: string): boolean {
    return this.#bases.has(path.slice(0, path.indexOf(ACCOUNTS)));
  }

  get #bases(): ReadonlySet<string> {
    if (this.#known.size > 0) return this.#known;
    const bases = new Set<string>();
    let looked = 0;
    for (const { path } of this.#store.places()) {
      if (path.includes(ACCOUNTS)) bases.add(path.slice(0, path.indexOf(ACCOUNTS)));
      if (++looked >= MOST_PLACES) break;
    }
    this.#known = bases;
    return bases;
  }
}

const ACCOUNTS = '/accounts/';
