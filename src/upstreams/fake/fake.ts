import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { splitTarget } from '../../http/http.ts';
import { isObject, type JsonObject, type JsonValue, parseJson } from '../../json/json.ts';
import type { RecordName } from '../../model/record.ts';
import { bodyOfRequest } from '../bodies.ts';
import type { Answer, Session, Upstream, UpstreamRequest } from '../upstream.ts';
import { recordsOf, type State } from './seed.ts';

/** A service in memory: each session begins with the records of the seed. */
export interface Fake extends Upstream {
  /** A record as it now stands in a session; undefined if there is none. */
  recordOf(session: Session, name: RecordName): JsonObject | undefined;
}

/** Below any prefix: `current/projects/42`. */
const RECORD = /\/accounts\/([^/]+\/[^/]+\/[^/]+)\/?$/;
/** All of them mandatory: service-api 4.1 rule 1. */
const PROJECT_FIELDS = ['name', 'languages', 'environments'];

/**
 * Plays the service's three PATCHes, and the reading of one record. What stands before it judges; the fake itself does not.
 * Where the description is silent, the choice is ours.
 */
export function createFake(state: State): Fake {
  const seeded = recordsOf(state);
  const sessions = new WeakMap<Session, Map<string, JsonObject>>();
  const recordsIn = (session: Session) => {
    const records = sessions.get(session) ?? new Map(seeded);
    sessions.set(session, records);
    return records;
  };

  const answerTo = ({ method, url, session, json }: UpstreamRequest, body: Buffer): Answer => {
    const { path } = splitTarget(url);
    const place = RECORD.exec(path)?.[1] ?? '';
    const records = recordsIn(session);
    const record = records.get(place);
    if (!record) return problem(404, `The fake has nothing at ${path}.`);
    if (method === 'GET' || method === 'HEAD') return answer(200, record);
    if (method !== 'PATCH') {
      const refused = problem(405, `The fake does not know ${method} here.`);
      return { ...refused, headers: [...refused.headers, 'allow', 'GET, HEAD, PATCH'] };
    }
    const patch = json ?? (isUtf8(body) ? parseJson(body.toString()) : undefined);
    if (!isObject(patch)) return problem(400, 'The body is not a JSON object in UTF-8.');
    const after = afterPatch(place.includes('/projects/'), record, patch);
    const answered = answer(200, after);
    records.set(place, after);
    return answered;
  };

  return {
    handle(request) {
      const body = bodyOfRequest(request);
      return Buffer.isBuffer(body) ? answerTo(request, body) : body.then((bytes) => answerTo(request, bytes));
    },
    recordOf: (session, { account, kind, id }) => recordsIn(session).get(`${account}/${kind}s/${id}`),
    close: async () => undefined,
  };
}

/**
 * A project's fields are replaced whole, and nothing else that the PATCH carries (service-api 4.1 rules 3 to 7); of another record,
 * all that it carries: our choice. A mandatory field that an unjudged PATCH lacks stays: to lose the environments would be worse.
 */
function afterPatch(isProject: boolean, record: JsonObject, patch: JsonObject): JsonObject {
  if (!isProject) return { ...record, ...patch };
  const after = { ...record };
  for (const field of PROJECT_FIELDS)
    if (Object.hasOwn(patch, field)) after[field] = patch[field] as JsonValue;
  return after;
}

/** RFC 9457: a problem of no type has the status's title. */
function problem(status: number, detail: string): Answer {
  const body = { type: 'about:blank', title: STATUS_CODES[status] ?? '', status, detail };
  return answer(status, body, 'application/problem+json');
}

function answer(status: number, value: JsonObject, type = 'application/json'): Answer {
  const body = Buffer.from(JSON.stringify(value));
  const headers = ['content-type', type, 'content-length', String(body.length)];
  return { status, message: '', headers, body, from: 'fake' };
}
