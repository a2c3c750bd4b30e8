/** What the commands on recordings share: where recordings are, and which exchanges are meant. */
import { randomUUID } from 'node:crypto';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Argv } from 'yargs';
import { rulesOf, withDatabase } from '../../app/modes.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { Database } from '../../postgres/database.ts';
import { changeFile, findRecording, recordingNames } from '../../recordings/files.ts';
import type { MatchRules } from '../../recordings/match.ts';
import { locationOf, type Place } from '../../recordings/names.ts';
import { toPlainExchange } from '../../recordings/plain-exchange.ts';
import { openStore } from '../../recordings/store.ts';
import { type Config, resolveConfig } from '../../settings/config.ts';
import { flagsOf, takesText } from '../options.ts';
import { standardOutput } from '../output.ts';

type How = 'read' | 'write' | 'create';

/** The recordings of a folder, or of a database. */
export interface Recordings {
  readonly rules: MatchRules;
  /** For people: `recordings` */
  readonly where: string;
  names(): Promise<string[]>;
  /** @throws PatchgateError `bad-usage` if there is none of that name, `bad-recording`, `recording-in-use`, `store-unavailable` */
  open(name: string, how: How): Promise<Recording>;
}

export interface Recording {
  /** One for each method and path. */
  places(): Place[];
  read(place: Place): Promise<readonly Exchange[]>;
  /** Replaces the exchanges of a place; none removes it. */
  write(place: Place, exchanges: readonly Exchange[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens where the recordings are, for some work alone, and prints the text that this returns. */
export async function withRecordings(
  argv: Readonly<Record<string, unknown>>,
  work: (all: Recordings, config: Config) => Promise<string>,
): Promise<void> {
  const { config } = await resolveConfig(flagsOf(argv));
  const rules = rulesOf(config);
  const text = await withDatabase(config, (database) =>
    work(database ? inDatabase(database, rules) : inFolder(config.recordings, rules), config),
  );
  await standardOutput().write(text);
}

/** The same for one recording. */
export async function withRecording<T>(
  all: Recordings,
  name: string,
  how: How,
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
    const store = await openStore(folder, name, { mode: how === 'read' ? undefined : 'append', rules });
    const root = join(folder, name);
    const fileOf = ({ method, path }: Place) => join(root, locationOf(method, path));
    return {
      places: () => [...store.places()],
      read: async (place) => store.read(place),
      async write(place, exchanges) {
        const file = fileOf(place);
        if (exchanges.length > 0) return changeFile(file, place, () => exchanges);
        await rm(file, { force: true });
        for (let empty = dirname(file); empty !== root; empty = dirname(empty))
          await rmdir(empty).catch(() => undefined);
      },
      async close() {
        await store.close();
        if (how !== 'read') await rmdir(root).catch(() => undefined);
      },
    };
  };
  return { rules, where: join(folder), names: () => recordingNames(folder), open };
}

function inDatabase(database: Database, rules: MatchRules): Recordings {
  const frames = import('../../postgres/frames.ts');
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
      close: async () => undefined,
    };
  };
  return { rules, where: database.name, names: async () => (await frames).recordingsIn(database), open };
}

/** All exchanges in the order of recording. In a place its own order holds: an exchange that replaced another may be newer. */
export async function inOrder(recording: Recording): Promise<Exchange[]> {
  const timed: { time: number; key: string; exchange: Exchange }[] = [];
  for (const place of recording.places()) {
    const key = `${place.path} ${place.method}`;
    let time = 0;
    for (const exchange of await recording.read(place)) {
      time = Math.max(time, Date.parse(exchange.meta.recordedAt));
      timed.push({ time, key, exchange });
    }
  }
  timed.sort((a, b) => a.time - b.time || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return timed.map(({ exchange }) => exchange);
}

/** Gives a command the options that say which exchanges are meant. */
export function withSelection<T>(yargs: Argv<T>): Argv<T> {
  return yargs.options({
    method: takesText('Only of this method'),
    path: takesText('Only of this path; * is any characters: /api/*'),
    status: takesText('Only answers with this status; * is any characters: 4*'),
  }) as unknown as Argv<T>;
}

/** What these options choose; undefined if none is given. */
export function selectionOf(argv: object): ((exchange: Exchange) => boolean) | undefined {
  const { method, path, status } = argv as Partial<Record<string, string>>;
  if (method === undefined && path === undefined && status === undefined) return undefined;
  const [methods, paths, statuses] = [method?.toUpperCase(), path, status].map((one) => wildcard(one ?? '*'));
  return ({ request, response }) =>
    Boolean(methods?.test(request.method.toUpperCase())) &&
    Boolean(paths?.test(request.path)) &&
    Boolean(statuses?.test(String(response.status)));
}

/** `/api/*` as a regular expression for a whole text. */
export function wildcard(text: string): RegExp {
  return new RegExp(`^${text.replace(/[\\^$.+?()[\]{}|/]/g, '\\$&').replaceAll('*', '[^]*')}$`);
}
