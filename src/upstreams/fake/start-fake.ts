import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf, PatchgateError, whyUnreadable } from '../../errors.ts';
import type { JsonObject } from '../../json/json.ts';
import type { RecordName } from '../../model/record.ts';
import type { Session } from '../session.ts';
import { fakeApp } from './fake-app.ts';
import { FakeRecords } from './fake-records.ts';
import { SAMPLE } from './sample.ts';
import { readState, type State } from './seed.ts';

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
  /** Puts a record in its place, or adds it. @returns false where all records together would take too much */
  setRecord(session: Session, name: RecordName, record: JsonObject): boolean;
  /** Stops at once: waiting answers are dropped, idle connections ended. */
  close(): Promise<void>;
}

/**
 * Starts a fake of the service on a free port, with its state in memory. What stands in front of it judges; the fake
 * itself does not.
 *
 * @throws PatchgateError `bad-input`: the seed cannot be read, or is none; `cannot-listen`
 */
export async function startFake({ seed }: FakeOptions): Promise<Fake> {
  const records = new FakeRecords(seed === undefined ? SAMPLE : await loadSeed(seed));
  records.start('');
  const server = createServer(fakeApp(records));
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
    start: ({ id }) => records.start(String(id)),
    end: ({ id }) => records.end(String(id)),
    recordOf: ({ id }, name) => records.get(String(id), name),
    setRecord: ({ id }, name, record) =>
      records.replace(String(id), name, record, JSON.stringify(record).length),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @param seed a file, or what would stand in it */
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
