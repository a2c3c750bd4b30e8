import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf, PatchgateError } from '../../errors.ts';
import type { JsonObject } from '../../json/json.ts';
import type { RecordName } from '../../model/record.ts';
import type { State } from '../../state/state-file.ts';
import type { Session } from '../session.ts';
import { fakeApp } from './fake-app.ts';
import { FakeSessions } from './fake-records.ts';
import { SAMPLE } from './sample.ts';

export interface FakeOptions {
  /** What it holds at first; the built-in sample where left out. */
  seed?: State | undefined;
  /** Member that wraps each record in an answer: `_data`. */
  envelope?: string | undefined;
  host: string;
}

export interface Fake {
  /** `http://127.0.0.1:40123`, without a slash at the end. */
  url: string;
  /** Begins a session, in which every record is as the seed has it. What comes to `url` without the number of one is in a
   *  session of its own, which is always there. */
  start(session: Session): void;
  /** Frees what a session has changed. */
  end(session: Session): void;
  /** A record as it now stands in a session, without the envelope; undefined where there is none. */
  recordOf(session: Session, name: RecordName): JsonObject | undefined;
  /** Puts a record in its place, or adds it. @returns false where all records together would take too much */
  setRecord(session: Session, name: RecordName, record: JsonObject): boolean;
  /** Stops at once: waiting answers are dropped, idle connections ended. */
  close(): Promise<void>;
}

/**
 * Starts a fake of the service on a free port, with its state in memory. What stands in front of it judges; the fake
 * itself does not.
 *
 * @throws PatchgateError `cannot-listen`
 */
export async function startFake({ seed = SAMPLE, envelope, host }: FakeOptions): Promise<Fake> {
  const sessions = new FakeSessions(seed);
  sessions.start('');
  const server = createServer(fakeApp(sessions, envelope));
  // Whoever keeps a connection open ends it: if we did, a request could be on its way meanwhile and be lost.
  server.keepAliveTimeout = 0;
  // The gate in front of it says how long the process lives.
  server.unref().on('connection', (socket) => socket.unref());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const message = `the fake cannot listen on ${host}: ${messageOf(error)}`;
      reject(new PatchgateError('cannot-listen', message, { hint: 'use 127.0.0.1', cause: error }));
    });
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    start: ({ id }) => sessions.start(String(id)),
    end: ({ id }) => sessions.end(String(id)),
    recordOf: ({ id }, name) => sessions.of(String(id))?.get(name),
    setRecord: ({ id }, name, record) =>
      sessions.of(String(id))?.replace(name, record, JSON.stringify(record).length) ?? false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
