import { splitTarget } from '../http/http.ts';
import type { JsonObject } from '../json/json.ts';
import type { Known, RecordKind, RecordName } from '../model/record.ts';
import { jsonOf } from '../recordings/body.ts';
import { orderTimes } from '../recordings/order-times.ts';
import { redactPath } from '../recordings/redaction/redact.ts';
import type { Redaction } from '../recordings/redaction/redaction.ts';
import type { RecordingStore } from '../recordings/store.ts';
import type { StoredExchange } from '../recordings/stored-exchange.ts';
import { KnownState } from '../state/known-state.ts';
import { isWhole, plainRecord } from '../state/records.ts';
import type { Session } from '../upstreams/session.ts';
import type { Asker, Knowledge, Learner } from './knowledge.ts';
import { shownInKept } from './shown-records.ts';

interface ReplayedOptions {
  /** That of the recording: its paths are redacted. */
  redaction: Redaction;
  /** Of which records there is something to learn. */
  kinds: readonly RecordKind[];
}

interface SessionKnowledge {
  state: KnownState;
  /** Records of which the recording was asked. */
  asked: Set<string>;
}

/**
 * What is known of the records that a recording plays, in each session by itself: what was served in it, and of a record of
 * which nothing was yet, what the recording knows of it first, of that session before others. So a sequence that is replayed
 * from its beginning meets what it met when it was recorded.
 *
 * The recording is asked once for each record of a session: what was served since then is the later word.
 */
export function replayedKnowledge(
  store: RecordingStore,
  { redaction, kinds }: ReplayedOptions,
): Knowledge & { learner: Learner } {
  const sessions = new Map<number, SessionKnowledge>();

  const inSession = ({ id }: Session): SessionKnowledge => {
    let own = sessions.get(id);
    if (!own) {
      own = { state: new KnownState({ most: Number.POSITIVE_INFINITY }), asked: new Set() };
      sessions.set(id, own);
    }
    return own;
  };

  const look = (name: RecordName, paths: readonly string[], { session }: Asker, state: KnownState): void => {
    try {
      const known = earliestState(store, name, session.name, paths);
      // Something may have been served before.
      if (known && !state.of(name)) state.restore(name, known);
    } catch {
      // The replay of this very path says what is wrong with the recording.
    }
  };

  return {
    isOfSession: true,
    of: (name, { id }) => sessions.get(id)?.state.of(name),
    find(name: RecordName, asker: Asker) {
      if (!kinds.includes(name.kind)) return;
      const { state, asked } = inSession(asker.session);
      // No segment of a path holds a slash.
      const key = `${name.account}/${name.kind}/${name.id}`;
      if (asked.has(key)) return;
      asked.add(key);
      const paths = [redactPath(splitTarget(asker.url).path, redaction)];
      const reading = paths.flatMap((path) => METHODS.flatMap((method) => store.ready?.(method, path) ?? []));
      const lookNow = () => look(name, paths, asker, state);
      if (reading.length > 0) return Promise.all(reading).then(lookNow, lookNow);
      lookNow();
    },
    learner: {
      stateOf: (session) => inSession(session).state,
      kinds,
      counts: () => true,
      areAnswersKept: true,
    },
    end: ({ id }) => void sessions.delete(id),
  };
}

/** What shows the state of a record. */
const METHODS = ['GET', 'PATCH'];

/** Exchanges of one method and path that are looked at: the request waits meanwhile. */
const MOST_LOOKED_AT = 1000;

interface Seen {
  known: Known;
  /** Milliseconds since the epoch. */
  time: number;
  /** See `distanceOf`. */
  distance: number;
}

/**
 * The earliest state of a record that a recording shows: what the reading of it was answered with, or what a PATCH that the
 * service took has made of it. What was recorded in a session of the same name comes before what was in the default one,
 * and that before all else.
 *
 * @param session name of the session
 * @param paths under which the record may be recorded, as the recording has them
 * @throws PatchgateError `bad-recording`, `cannot-read`
 */
export function earliestState(
  store: RecordingStore,
  name: RecordName,
  session: string,
  paths: readonly string[],
): Known | undefined {
  let earliest: Seen | undefined;
  for (const path of paths) {
    // In the same millisecond a PATCH may well follow what was read, and what is read after it is the same.
    for (const method of METHODS) {
      const seen = firstSeen(store, name, session, method, path);
      if (seen && (!earliest || isBefore(seen, earliest))) earliest = seen;
    }
  }
  return earliest?.known;
}

/** 0: it was recorded in the session itself, 1: in the default one, 2: in another. */
function distanceOf(recorded: string, session: string): number {
  return recorded === session ? 0 : recorded === '' ? 1 : 2;
}

function isBefore(a: Seen, b: Seen): boolean {
  return a.distance === b.distance ? a.time < b.time : a.distance < b.distance;
}

function firstSeen(
  store: RecordingStore,
  name: RecordName,
  session: string,
  method: string,
  path: string,
): Seen | undefined {
  const recorded = store.exchanges(method, path).all;
  let left = MOST_LOOKED_AT;
  for (const distance of [0, 1, 2]) {
    const timeOf = orderTimes();
    for (const stored of recorded) {
      if (distanceOf(stored.session, session) !== distance) continue;
      if (left-- === 0) return undefined;
      const time = timeOf(stored);
      const known = knownBy(stored, name);
      if (known) return { known, time, distance };
    }
  }
  return undefined;
}

/** What exchanges say of a record, made once for all sessions. */
const made = new WeakMap<StoredExchange, Pick<RecordName, 'kind' | 'id'> & { known: Known | undefined }>();

function knownBy(stored: StoredExchange, name: RecordName): Known | undefined {
  const before = made.get(stored);
  // What is hidden of a path may have been one id or another.
  if (before?.id === name.id && before.kind === name.kind) return before.known;
  const record = recordShown(name, stored);
  // A query may have asked for a part of it.
  const isPart = stored.request.method === 'GET' && stored.request.query !== '';
  const known = record && { record, isWhole: !isPart };
  made.set(stored, { kind: name.kind, id: name.id, known });
  return known;
}

/** What is kept of it. A whole record in an answer counts more than what was sent. */
function recordShown(name: RecordName, { request, answer }: StoredExchange): JsonObject | undefined {
  if (!answer || answer.status < 200 || answer.status > 299 || answer.status === 206) return undefined;
  const { record, isPart } = shownInKept(answer.body, name) ?? {};
  const answered = isPart ? undefined : record;
  // Of the others, a PATCH need not hold everything.
  if (answered || request.method !== 'PATCH' || name.kind !== 'project') return answered;
  const sent = request.body && jsonOf(request.body);
  return isWhole(name.kind, sent) ? plainRecord(name.kind, sent) : undefined;
}
