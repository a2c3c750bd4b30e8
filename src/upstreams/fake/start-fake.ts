import { readFile } from 'node:fs/promises';
import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import { messageOf, PatchgateError, whyUnreadable } from '../../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { RecordName } from '../../model/record.ts';
import { SESSION_HEADER, type Session } from '../session.ts';
import { afterPatch } from './after-patch.ts';
import { SAMPLE } from './sample.ts';
import { COLLECTIONS, isCollection, readState, recordsOf, type State } from './seed.ts';

export interface FakeOptions {
  /** What it holds at first, or a file with that; the built-in sample where left out. */
  seed?: string | State | undefined;
}

export interface Fake {
  /** `http://127.0.0.1:40123`, without a slash at the end. */
  url: string;
  /** Begins a session, in which every record is as the seed has it. What comes to `url` without the number of one is in a
   *  session of its own, which is always there. */
  start(session: Session): void;
  /** Frees what a session has changed. */
  end(session: Session): void;
  /** A record as it now stands in a session; undefined where there is none. */
  recordOf(session: Session, name: RecordName): JsonObject | undefined;
  /** Stops at once: waiting answers are dropped, idle connections ended. */
  close(): Promise<void>;
}

/** The records of each session, by the session's number. */
type Sessions = Map<string, Map<string, JsonObject>>;

const keyOf = ({ account, kind, id }: RecordName): string => JSON.stringify([account, kind, id]);

/**
 * Starts a fake of the service on a free port, with its state in memory. What stands in front of it judges; the fake
 * itself does not.
 *
 * @throws PatchgateError `bad-input`: the seed cannot be read, or is none; `cannot-listen`
 */
export async function startFake({ seed }: FakeOptions): Promise<Fake> {
  const state = seed === undefined ? SAMPLE : await loadSeed(seed);
  const seeded = new Map(Array.from(recordsOf(state), ({ name, record }) => [keyOf(name), record]));
  const sessions: Sessions = new Map([['', new Map(seeded)]]);
  const server = createServer(fakeApp(sessions));
  // The client ends a connection that it keeps open: if we did, a request could be on its way meanwhile and be lost.
  server.keepAliveTimeout = 0;
  // The gate in front of it says how long the process lives.
  server.unref().on('connection', (socket) => socket.unref());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `the fake cannot listen on 127.0.0.1: ${messageOf(cause)}`;
      reject(new PatchgateError('cannot-listen', message, { cause }));
    });
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    start: ({ id }) => sessions.set(String(id), new Map(seeded)),
    end: ({ id }) => sessions.delete(String(id)),
    recordOf: ({ id }, name) => sessions.get(String(id))?.get(keyOf(name)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function loadSeed(seed: string | State): Promise<State> {
  if (typeof seed !== 'string') return readState(JSON.stringify(seed), 'the seed');
  const text = await readFile(seed, 'utf8').catch((cause: unknown) => {
    throw new PatchgateError('bad-input', `cannot read the seed ${seed}: ${whyUnreadable(cause)}`, {
      hint: 'check the path given with --seed, or leave it out to use the built-in sample',
      cause,
    });
  });
  return readState(text, seed);
}

/** Bytes of a body, and UTF-16 code units of a record: a client that keeps adding fields must not fill the memory. */
const LIMIT = 64 * 1024 * 1024;

/**
 * The service's three PATCHes, and the reading of one record as an extension, below any prefix of the path. Where the
 * description is silent, the choice is ours. What was let past the gate gets a 4xx at worst, never a crash.
 */
function fakeApp(sessions: Sessions): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app
    .route('{/*prefix}/accounts/:account/:collection/:id')
    .all((request, response, next) => {
      const { account, collection, id } = request.params as Record<'account' | 'collection' | 'id', string>;
      if (!isCollection(collection)) return next('route');
      const name = { account, kind: COLLECTIONS[collection], id };
      const records = sessions.get(request.get(SESSION_HEADER) ?? '');
      if (!records) return problem(response, 404, 'The session of this request is over.');
      const record = records.get(keyOf(name));
      Object.assign(response.locals, { records, name, record });
      if (record) next();
      else problem(response, 404, `There is no ${name.kind} ${id} in the account ${account}.`);
    })
    .get((_, response) => answer(response, 200, JSON.stringify(response.locals.record)))
    .patch(express.raw({ type: () => true, limit: LIMIT }), (request: Request, response) => {
      const { records, name, record } = response.locals;
      const patch = readObject(request.body);
      if (!patch) return problem(response, 400, 'The body is not a JSON object in UTF-8.');
      const after = afterPatch(name.kind, record, patch);
      // Written out before it is kept: what could not be answered must not stay behind.
      const text = JSON.stringify(after);
      if (text.length > LIMIT) return problem(response, 413, 'The record would be larger than 64 MiB.');
      records.set(keyOf(name), after);
      answer(response, 200, text);
    })
    .all((request, response) => {
      response.set('allow', 'GET, HEAD, PATCH');
      problem(response, 405, `The fake does not know ${request.method} here.`);
    });
  app.use((request, response) => problem(response, 404, `The fake has nothing at ${request.path}.`));
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
}

/** RFC 9457; without a type of its own, the title is the status's. */
function problem(response: Response, status: number, detail: string): void {
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, detail };
  answer(response, status, JSON.stringify(body), 'application/problem+json');
}

function answer(response: Response, status: number, text: string, type = 'application/json'): void {
  response.status(status).type(type).send(text);
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
