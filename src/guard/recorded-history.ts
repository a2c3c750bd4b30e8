import type { Match } from '../contract/match-operation.ts';
import type { Gate } from '../gate/gate.ts';
import type { RequestHead } from '../http/http.ts';
import { type JsonValue, member } from '../json/json.ts';
import {
  type Exchange,
  type FailureKind,
  headerPairs,
  isKept,
  type RecordedRequest,
  type StoredBody,
} from '../model/exchange.ts';
import type { RecordKind, RecordName } from '../model/record.ts';
import { bodyBytes, jsonOf } from '../recordings/body.ts';
import type { KnownState } from '../state/known-state.ts';
import { hasReadableEnvironments, plainRecord, type Shown, shownIn } from '../state/records.ts';
import { stateUpdateOf } from '../state/state-update.ts';
import { CHANGES } from './learning-sink.ts';

/** What one exchange of a recording says of a record. It holds no more of the exchange than that takes. */
export interface RecordedUpdate {
  name: RecordName;
  /** Whether the gate judges it as one that changes the record. */
  isJudged: boolean;
  /** Adds to the state what live traffic would have added: those of a recording one by one, in the order of recording. */
  apply(state: KnownState): void;
}

type Reader = Pick<Gate, 'match' | 'inspect' | 'recordAt' | 'recordOf'>;

/** A request with what became of it. */
export interface SentExchange extends Pick<Exchange, 'request'> {
  response?: Exchange['response'];
  failure?: { kind: FailureKind };
}

/**
 * What an exchange says of the record that it is about, which is named as the gate names it.
 *
 * @param learn kinds of record of which bodies and answers are read; of any other it is only seen that it has changed
 * @param isKnown says of records of other kinds of which the bodies are read all the same
 * @returns undefined where that is nothing
 */
export function recordedUpdate(
  gate: Reader,
  learn: readonly RecordKind[],
  { request, response, failure }: SentExchange,
  isKnown: (name: RecordName) => boolean = () => false,
): RecordedUpdate | undefined {
  const head = headOf(request);
  const { method, url } = head;
  const match = gate.match(head);
  const name = match ? gate.recordOf(match) : gate.recordAt(url);
  if (!name) return undefined;
  const isChange = match !== undefined || CHANGES.has(method);
  const isLearnt = learn.includes(name.kind);
  const status = failure ? undefined : response?.status;
  const isAccepted = status !== undefined && status >= 200 && status < 300;
  const shown = isLearnt && isAccepted ? shownBy(response?.body, name) : undefined;
  const record = shown?.isPart ? undefined : shown?.record;
  if (!isChange && method !== 'DELETE' && !record) return undefined;
  // What an answer shows counts more than what was sent.
  const sent =
    match && !record && (isLearnt || isKnown(name)) ? sentIn(gate, request, head, match) : undefined;
  const body = sent === undefined ? undefined : essenceOf(name.kind, sent);
  return {
    name,
    isJudged: match !== undefined,
    apply(state) {
      const update = stateUpdateOf(state, name, { method, url }, match !== undefined, isChange, body);
      if (status === undefined) update.failed(failure?.kind);
      else
        update.answered({ status, headers: NO_HEADERS, shown: update.wantsBody(status) ? shown : undefined });
    },
  };
}

/**
 * The head of a recorded request, as the gate takes it. A recording keeps bodies with their content coding undone: what the
 * headers say of that no longer holds.
 */
export function headOf({ method, path, query, headers }: RecordedRequest): RequestHead {
  const pairs = headerPairs(headers).filter(([name]) => !OF_BYTES.has(name));
  return { method, url: query === '' ? path : `${path}?${query}`, headers: pairs.flat() };
}

const NO_HEADERS: RequestHead['headers'] = [];
const OF_BYTES: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);

/** What an answer shows of a record. */
function shownBy(body: StoredBody | undefined, { kind, id }: RecordName): Shown | undefined {
  const answer = body && jsonOf('base64' in body ? { text: bodyBytes(body).toString('utf8') } : body);
  return answer === undefined ? undefined : shownIn(kind, answer, id);
}

/** The body of a judged request; undefined where it is no JSON, or was not kept. */
function sentIn(
  gate: Reader,
  { body }: RecordedRequest,
  head: RequestHead,
  match: Match,
): JsonValue | undefined {
  if (!body || !isKept(body)) return undefined;
  const json = match.isByBody ? undefined : jsonOf(body);
  // What is no JSON to the recording is read as the gate does.
  return json === undefined ? gate.inspect({ ...head, body: bodyBytes(body) }, match).json : json;
}

/** So much of a PATCH's body as there is to learn from. What keeps it from being whole stays in it. */
function essenceOf(kind: RecordKind, body: JsonValue): JsonValue {
  const plain = plainRecord(kind, body);
  if (kind !== 'project' || hasReadableEnvironments(body)) return plain;
  return Object.fromEntries(Object.keys(plain).map((name) => [name, member(body, name) as JsonValue]));
}
