import { PatchgateError } from '../errors.ts';
import { header, splitTarget } from '../http/http.ts';
import { type ExchangeIndex, ofSession, type StoredExchange } from '../recordings/exchange-index.ts';
import { explainMiss } from '../recordings/explain.ts';
import { DEFAULT_RULES, type MatchRules, sentRequestOf } from '../recordings/match.ts';
import { redactPath } from '../recordings/redact/redact.ts';
import { REDACTED, withoutHashes } from '../recordings/redact/redacted.ts';
import type { RecordingStore } from '../recordings/store.ts';
import { bodyOfRequest, NO_BODY } from './bodies.ts';
import { Misses } from './replay/misses.ts';
import { findUnserved, type Unserved } from './replay/unserved.ts';
import type { Answer, Session, Upstream, UpstreamRequest } from './upstream.ts';

export interface ReplayOptions {
  /** Answers what no exchange matches, or none that can be an answer; without it such a request fails with `no-recording`. */
  onMiss?: Upstream | undefined;
  /** Bytes of a request body that are read at most. Default 64 MiB. */
  bodyLimit?: number;
  /** When a request is a recorded one. */
  rules?: MatchRules;
  /** The last answer of a sequence does not repeat. */
  strictSequence?: boolean;
}

export interface ReplayUpstream extends Upstream {
  /** What was refused. */
  readonly misses: Misses;
  /** Reads every file of the recording. @param session of what was recorded in this one alone; `""`: in none
   *  @throws PatchgateError if one is broken */
  unserved(session?: string): Promise<Unserved>;
}

/** What browsers ask for of themselves, whatever page is open. */
const OF_BROWSERS =
  /^\/(?:favicon\.ico|apple-touch-icon(?:-precomposed)?\.png|\.well-known\/appspecific\/com\.chrome\.devtools\.json)$/;

/** Paths whose exchanges are remembered. */
const MOST_PATHS = 100_000;
const NONE: readonly StoredExchange[] = [];

/** The exchanges for a request's method and path, and their path. */
interface Recorded {
  path: string;
  exchanges: ExchangeIndex;
}

/**
 * Answers from a recording: each session with the exchanges of one of its name, if there are any. The same request
 * recorded several times is answered in the order of recording, in each session by itself, and the last answer repeats.
 * Closing closes `onMiss`, not the store.
 */
export function replay(store: RecordingStore, options: ReplayOptions = {}): ReplayUpstream {
  const { onMiss, bodyLimit, rules = DEFAULT_RULES, strictSequence } = options;
  const startedAt = Date.now();
  const served = new Set<StoredExchange>();
  const misses = new Misses(rules.redaction);
  /** By method and path as sent. */
  const known = new Map<string, Recorded>();
  /** The place that comes next. A sequence goes by the first of all that matches, which is the same for every request of it:
   *  exchanges that are recorded on the way may leave the session others of them. */
  const next = new WeakMap<Session, Map<StoredExchange | undefined, number>>();

  const answer = (request: UpstreamRequest, body: Buffer, signal?: AbortSignal): Answer | Promise<Answer> => {
    const { method, session } = request;
    const { recorded, all, own, place } = found(request, body);
    const stored = own[place];
    if (stored) {
      // One alone has no places.
      if (all.length > 1 || strictSequence) move(session, all, place + 1);
      served.add(stored);
      return stored.answer();
    }
    if (onMiss) {
      // Where its answer is recorded, behind those that were all served, this session has had it, too.
      if (own.length > 0) move(session, all, own.length + 1);
      // What comes behind answers of the default session belongs there, too.
      const inSession = own[0]?.session === '' ? { ...session, name: '' } : session;
      return onMiss.handle({ ...request, session: inSession, body }, signal);
    }
    const isOfBrowser = method === 'GET' && OF_BROWSERS.test(splitTarget(request.url).path);
    const why = 'it is not recorded, and no miss: browsers ask any server for it';
    if (isOfBrowser) throw new PatchgateError('not-found', why);
    const miss = own.length > 0 ? alreadyServed(store.name, own) : explained(request, body, recorded);
    misses.add(request, miss);
    throw miss;
  };

  /** All exchanges that match a request; those that its session is given; and the place of the one that answers, or -1. */
  const found = (request: UpstreamRequest, body: Buffer) => {
    const { method, url, session } = request;
    const { path, query } = splitTarget(url);
    const recorded = recordedFor(method, path);
    const { exchanges } = recorded;
    const all =
      exchanges.all.length === 0
        ? NONE
        : (exchanges.withBytes(query, body) ??
          exchanges.find(sentRequestOf(request, body, rules, recorded.path)));
    const given = ofSession(all, session.name);
    const own = isForeign(given[0]?.session, session) ? NONE : given;
    const at = nextOf(session, all);
    const isUsable = usableBy(request, own);
    const coming = own.findIndex((one, i) => i >= at && isUsable(one));
    const place = coming >= 0 || strictSequence ? coming : own.findLastIndex(isUsable);
    return { recorded, all, own, place };
  };

  /** Looks under the path, redacted; then under the one that has placeholders there. */
  const recordedFor = (method: string, sent: string): Recorded => {
    const key = `${method} ${sent}`;
    const before = known.get(key);
    if (before) return before;
    const under = (path: string) => ({ path, exchanges: store.exchanges(method, path) });
    const isRecorded = ({ exchanges }: Recorded) => exchanges.all.length > 0;
    const first = under(redactPath(sent, rules.redaction));
    const place = isRecorded(first) ? first : pathsShown(store, method, sent).map(under).find(isRecorded);
    if (!place) return first;
    // An exchange that is recorded on the way may be for the very path.
    if (!store.isWritable && known.size < MOST_PATHS) known.set(key, place);
    return place;
  };

  /** What others recorded may do for a test that is replayed; one that is being recorded asks for its own. */
  const isForeign = (session: string | undefined, { name }: Session) =>
    onMiss !== undefined && store.isWritable && session !== '' && session !== name;

  const nextOf = (session: Session, [first]: readonly StoredExchange[]) => next.get(session)?.get(first) ?? 0;

  const move = (session: Session, [first]: readonly StoredExchange[], to: number) => {
    const places = next.get(session) ?? new Map();
    next.set(session, places.set(first, to));
  };

  const explained = (request: UpstreamRequest, body: Buffer, { path, exchanges }: Recorded) => {
    const own = ofSession(exchanges.all, request.session.name);
    const sent = sentRequestOf(request, body, rules, path);
    const { text, hint, recording, reason, nearest } = explainMiss(store, own, sent, rules);
    const asked = redactPath(splitTarget(request.url).path, rules.redaction);
    const sentAs = path === asked ? '' : `; sent as ${asked}`;
    const details = { recording, reason, ...(nearest && { nearest }) };
    return new PatchgateError('no-recording', text + sentAs, { hint, details });
  };

  return {
    handle(request, signal) {
      const { method, url } = request;
      const reading = store.ready?.(method, recordedFor(method, splitTarget(url).path).path);
      const body = bodyOfRequest(request, bodyLimit);
      // No promise if all is at hand.
      if (Buffer.isBuffer(body) && !reading) return answer(request, body, signal);
      return Promise.all([body, reading]).then(([bytes]) => answer(request, bytes, signal));
    },
    // A database that has not read the path yet cannot say so at once.
    holds(request) {
      const { method, url, body = NO_BODY } = request;
      if (!onMiss || store.ready?.(method, splitTarget(url).path)) return false;
      return found(request, body).place >= 0;
    },
    misses,
    unserved: (session) => findUnserved(store, served, startedAt, rules.redaction, session),
    close: async () => onMiss?.close(),
  };
}

/** A client without a copy of its own can do nothing with a 304, and one that asks for all nothing with a part. */
function usableBy({ headers }: UpstreamRequest, given: readonly StoredExchange[]) {
  if (given.length < 2) return () => true;
  const hasCopy = (header(headers, 'if-none-match') ?? header(headers, 'if-modified-since')) !== undefined;
  const asksForPart = header(headers, 'range') !== undefined;
  const isUsable = ({ status }: StoredExchange) =>
    (hasCopy || status !== 304) && (asksForPart || status !== 206);
  return given.some(isUsable) ? isUsable : () => true;
}

/** The path that a client asks for as an answer has shown it, with a placeholder, if that can be no other. */
function pathsShown(store: RecordingStore, method: string, sent: string): string[] {
  const shown = sent.replaceAll(/%5Bredacted%5D/gi, REDACTED);
  if (!shown.includes(REDACTED)) return [];
  const paths = [...store.places()].filter((place) => place.method === method).map(({ path }) => path);
  const alike = paths.filter((path) => withoutHashes(path) === shown);
  return alike.length === 1 ? alike : [];
}

/** Why a request is not answered that matches these. */
function alreadyServed(recording: string, own: readonly StoredExchange[]): PatchgateError {
  const { request, meta } = own.at(-1) as StoredExchange;
  const often = own.length === 1 ? 'once' : `${own.length} times`;
  const message = `the recording "${recording}" matches this ${request.method} ${request.path}, but it was recorded ${often}, and all that can be answered has been served already (--strict-sequence)`;
  const hint =
    'send it as often as it was recorded, use a session of its own (Patchgate-Session), or start the sequence anew: POST /__patchgate/reset';
  const details = { recording, reason: 'already-served', recordedAt: meta.recordedAt };
  return new PatchgateError('no-recording', message, { hint, details });
}
