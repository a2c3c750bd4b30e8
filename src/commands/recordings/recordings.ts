/** What the commands on recordings share: where recordings are, and which exchanges are meant. */
import { randomUUID } from 'node:crypto';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Argv } from 'yargs';
import { withDatabase } from '../../app/open-database.ts';
import { rulesOf } from '../../app/open-recording.ts';
import { PatchgateError } from '../../errors.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { Database } from '../../postgres/database.ts';
import { readExchanges, writeExchanges } from '../../recordings/files.ts';
import { findRecording, recordingNames } from '../../recordings/find-recording.ts';
import type { MatchRules } from '../../recordings/match-rules.ts';
import { locationOf, type Place } from '../../recordings/names.ts';
import { orderTimes } from '../../recordings/order-times.ts';
import { toPlainExchange } from '../../recordings/plain-exchange.ts';
import { openStore } from '../../recordings/store.ts';
import type { Config } from '../../settings/config.ts';
import { takesText } from '../options.ts';

/** The recordings of a folder, or of a database. */
export interface Recordings {
  readonly rules: MatchRules;
  /** For people: `recordings` */
  readonly where: string;
  names(): Promise<string[]>;
  /** For people: `recordings/checkout` */
  placeOf(name: string): string;
  /** @throws PatchgateError `bad-usage` where there is none of that name, `bad-recording`, `recording-in-use`, `store-unavailable` */
  open(name: string, how: 'read' | 'write' | 'create'): Promise<Recording>;
}

export interface Recording {
  /** One for each method and path. */
  places(): Place[];
  read(place: Place): Promise<readonly Exchange[]>;
  /** Replaces the exchanges of a place; none removes it. */
  write(place: Place, exchanges: readonly Exchange[]): Promise<void>;
  /** For people: the file of a place. */
  fileOf(place: Place): string;
  close(): Promise<void>;
}

/** Opens where the recordings of a config are, for some work alone. */
export async function withRecordings<T>(config: Config, work: (all: Recordings) => Promise<T>): Promise<T> {
  return withDatabase(config, (database) => work(recordingsOf(config.recordings, rulesOf(config), database)));
}

export function recordingsOf(folder: string, rules: MatchRules, database: Database | undefined): Recordings {
  return database ? inDatabase(database, rules) : inFolder(folder, rules);
}

/** The same for one recording. */
export async function withRecording<T>(
  all: Recordings,
  name: string,
  how: 'read' | 'write' | 'create',
  work: (recording: Recording) => Promise<T>,
): Promise<T> {
  const recording = await all.open(name, how);
  try {
    return await work(recording);
  } finally {
    await recording.close();
  }
}

function inFolder(folder: string, rules: MatchRules): Recordings {
  const open: Recordings['open'] = async (name, how) => {
    if (how !== 'create') await findRecording(folder, name);
    // A writer merges the journal into the files first.
    const store = await openStore(folder, name, { writable: how !== 'read', rules });
    const root = join(folder, name);
    const fileOf = ({ method, path }: Place) => join(root, locationOf(method, path));
    return {
      places: () => [...store.places()],
      read: async (place) =>
        how === 'read'
          ? store.exchanges(place.method, place.path).all.map((stored) => stored.exchange)
          : (readExchanges(fileOf(place), place) ?? []),
      async write(place, exchanges) {
        const file = fileOf(place);
        if (exchanges.length > 0) return writeExchanges(file, exchanges);
        await rm(file, { force: true });
        for (let empty = dirname(file); empty !== root; empty = dirname(empty))
          await rmdir(empty).catch(() => undefined);
      },
      fileOf,
      async close() {
        await store.close();
        if (how !== 'read') await rmdir(root).catch(() => undefined);
      },
    };
  };
  const placeOf = (name: string) => join(folder, name);
  return { rules, where: folder, names: () => recordingNames(folder), placeOf, open };
}

function inDatabase(database: Database, rules: MatchRules): Recordings {
  const frames = import('../../postgres/frames.ts');
  const placeOf = (name: string) => `${database.name}/${name}`;
  const open: Recordings['open'] = async (name, how) => {
    const { framesOf, insertFrames, placesOf, requireStored } = await frames;
    if (how !== 'create') await requireStored(database, name);
    const places = await placesOf(database, name);
    const read = (place: Place) => framesOf(database, name, place, rules);
    return {
      places: () => places,
      read: async (place) => (await read(place)).exchanges,
      async write(place, exchanges) {
        const { ordinals } = await read(place);
        const batch = { recording: name, run: randomUUID(), mode: 'append' as const, first: 0 };
        await insertFrames(database, batch, exchanges.map(toPlainExchange), ordinals);
      },
      fileOf: ({ method, path }) => `${placeOf(name)}/${locationOf(method, path)}`,
      close: async () => undefined,
    };
  };
  const names = async () => (await frames).recordingsIn(database);
  return { rules, where: database.name, names, placeOf, open };
}

/** An exchange with its number in its recording, from 1. */
export interface Numbered {
  number: number;
  exchange: Exchange;
}

/** All exchanges in the order of recording. In a place its own order holds: an exchange that replaced another may be newer. */
export async function exchangesOf(recording: Recording): Promise<Numbered[]> {
  const timed: { time: number; exchange: Exchange }[] = [];
  const keyOf = ({ method, path }: Place) => `${path} ${method}`;
  for (const place of recording.places().sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
    const timeOf = orderTimes();
    for (const exchange of await recording.read(place)) timed.push({ time: timeOf(exchange), exchange });
  }
  timed.sort((a, b) => a.time - b.time);
  return timed.map(({ exchange }, i) => ({ number: i + 1, exchange }));
}

/** Gives a command the options that say which exchanges are meant. */
export function withSelection<T>(yargs: Argv<T>): Argv<T> {
  return yargs.options({
    method: takesText('Only of this method'),
    path: takesText('Only of this path; * is any characters: /api/*'),
    status: takesText('Only answers with this status; * is any characters: 4*'),
    before: takesText('Only what was recorded before this time: 2026-11-20'),
  }) as unknown as Argv<T>;
}

/** What these options choose; undefined where none is given. @throws PatchgateError `bad-usage` */
export function selectionOf(
  argv: Readonly<Record<string, unknown>>,
): ((exchange: Exchange) => boolean) | undefined {
  const { method, path, status, before } = argv as Partial<Record<string, string>>;
  if ([method, path, status, before].every((given) => given === undefined)) return undefined;
  const [paths, statuses] = [wildcard(path ?? '*'), wildcard(status ?? '*')];
  const end = before === undefined ? Number.POSITIVE_INFINITY : Date.parse(before);
  if (Number.isNaN(end))
    throw new PatchgateError('bad-usage', `invalid value ${JSON.stringify(before)} for --before`, {
      hint: 'it takes a date: 2026-11-20',
    });
  return ({ request, response, meta }) =>
    (method === undefined || request.method.toUpperCase() === method.toUpperCase()) &&
    paths.test(request.path) &&
    statuses.test(String(response.status)) &&
    Date.parse(meta.recordedAt) < end;
}

/** @param what `no such exchange` */
export function nothingSelected(name: string, what = 'no such exchange'): PatchgateError {
  return new PatchgateError('bad-usage', `${name} holds ${what}`, {
    hint: `patchgate recordings show ${name} lists what it holds`,
  });
}

/** `/api/*` as a regular expression for a whole text. */
export function wildcard(text: string): RegExp {
  return new RegExp(`^${text.split('*').map(escaped).join('[^]*')}$`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.+?()[\]{}|/]/g, '\\$&');
}
