import { STATUS_CODES } from 'node:http';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { messageOf } from '../../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { RecordName } from '../../model/record.ts';
import { SESSION_HEADER } from '../session.ts';
import { afterPatch } from './after-patch.ts';
import type { FakeRecords } from './fake-records.ts';
import { COLLECTIONS, isCollection } from './seed.ts';

/** Bytes of a body, and UTF-16 code units of a record: a client that keeps adding fields must not fill the memory. */
const LIMIT = 64 * 1024 * 1024;

/**
 * The service's three PATCHes, and the reading of one record as an extension, below any prefix of the path
 * (`/api/v2/accounts/current/projects/42`). Where the description is silent, the choice is ours.
 *
 * Each session has records of its own; what comes without the number of one is of the session `""`.
 *
 * It does not judge, yet it holds on its own: what was let past the gate gets a 4xx at worst, never a crash.
 */
export function fakeApp(records: FakeRecords): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);

  app
    .route('{/*prefix}/accounts/:account/:collection/:id')
    .get(
      onRecord(({ record, response }) => {
        answer(response, 200, JSON.stringify(record));
      }),
    )
    .patch(
      express.raw({ type: () => true, limit: LIMIT }),
      onRecord(({ session, name, record, request, response }) => {
        const patch = readObject(request.body);
        if (!patch) return problem(response, 400, 'The body is not a JSON object in UTF-8.');
        const after = afterPatch(name.kind, record, patch);
        // Written out before it is kept: what could not be answered must not stay behind.
        const text = JSON.stringify(after);
        if (text.length > LIMIT) return problem(response, 413, 'The record would be larger than 64 MiB.');
        if (!records.replace(session, name, after, text.length))
          return problem(response, 507, 'The records of all sessions together would take too much memory.');
        answer(response, 200, text);
      }),
    )
    .all(
      onRecord(({ request, response }) => {
        response.set('allow', 'GET, HEAD, PATCH');
        problem(response, 405, `The fake does not know ${request.method} here.`);
      }),
    );

  app.use((request, response) => {
    problem(response, 404, `The fake has nothing at ${request.path}.`);
  });

  // Express tells an error handler by its four parameters.
  const onError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    // JSON.stringify gives up with a RangeError.
    if (error instanceof RangeError)
      return problem(response, 413, 'The record would be too large or nested too deep to be written out.');
    const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
    problem(response, status, messageOf(error));
  };
  app.use(onError);
  return app;

  interface Asked {
    session: string;
    name: RecordName;
    record: JsonObject;
    request: Request;
    response: Response;
  }

  function onRecord(handle: (asked: Asked) => void): RequestHandler {
    return (request, response, next) => {
      const { account, collection, id } = request.params as Record<'account' | 'collection' | 'id', string>;
      if (!isCollection(collection)) return next();
      const name = { account, kind: COLLECTIONS[collection], id };
      const session = request.get(SESSION_HEADER) ?? '';
      if (!records.has(session)) return problem(response, 404, 'The session of this request is over.');
      const record = records.get(session, name);
      if (record) return handle({ session, name, record, request, response });
      problem(response, 404, `There is no ${name.kind} ${id} in the account ${account}.`);
    };
  }

  /** RFC 9457; without a type of its own, the title is the status's. */
  function problem(response: Response, status: number, detail: string): void {
    const body = { type: 'about:blank', title: STATUS_CODES[status], status, detail };
    answer(response, status, JSON.stringify(body), 'application/problem+json');
  }

  function answer(response: Response, status: number, text: string, type = 'application/json'): void {
    response.status(status).type(type).send(text);
  }
}

/** @param body what `express.raw` leaves: bytes, or undefined where there were none */
function readObject(body: unknown): JsonObject | undefined {
  if (!Buffer.isBuffer(body)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
