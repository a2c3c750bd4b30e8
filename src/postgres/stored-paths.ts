import { isDeepStrictEqual } from 'node:util';
import { PatchgateError } from '../errors.ts';
import type { Exchange } from '../model/exchange.ts';
import type { Place } from '../recordings/files.ts';
import { noSuchRecording } from '../recordings/find-recording.ts';
import type { MatchRules } from '../recordings/match-rules.ts';
import { exchangeText, inOrder } from '../recordings/store/file-format.ts';
import type { Database } from './database.ts';
import { sequenceOf } from './sequence.ts';
import { jsonListOf } from './tables.ts';

/** A method and path of a recording in the database. */
export interface StoredPath extends Place {
  recording: string;
  exchanges: number;
  /** Another one after each change. */
  version: string;
}

/** @param recording undefined: of all */
export function pathsIn({ query, namespace }: Database, recording?: string): Promise<StoredPath[]> {
  return query<StoredPath>(
    `SELECT recording, method, path, exchanges, version FROM patchgate_path
      WHERE namespace = $1 AND exchanges > 0 AND ($2::text IS NULL OR recording = $2)
      ORDER BY recording COLLATE "C", path COLLATE "C", method COLLATE "C"`,
    [namespace, recording ?? null],
  );
}

/** Those of a recording that must be there. @throws PatchgateError `bad-usage` */
export async function findPaths(database: Database, recording: string): Promise<StoredPath[]> {
  await requireStored(database, recording);
  return pathsIn(database, recording);
}

/** @param hint where it is not there @throws PatchgateError `bad-usage` where the database has no such recording */
export async function requireStored(
  database: Database,
  recording: string,
  hint = `record one: patchgate proxy <target> --store URL --record --recording ${recording}`,
): Promise<void> {
  const { query, namespace, name } = database;
  const [found] = await query(
    'SELECT 1 FROM patchgate_path WHERE namespace = $1 AND recording = $2 AND exchanges > 0 LIMIT 1',
    [namespace, recording],
  );
  if (found) return;
  throw noSuchRecording(recording, await recordingsIn(database), name, name, hint);
}

/** Names of all recordings. */
export async function recordingsIn({ query, namespace }: Database): Promise<string[]> {
  const rows = await query<{ recording: string }>(
    `SELECT DISTINCT recording COLLATE "C" AS recording FROM patchgate_path
      WHERE namespace = $1 AND exchanges > 0 ORDER BY 1`,
    [namespace],
  );
  return rows.map(({ recording }) => recording);
}

/** An exchange as it stands in the database. */
interface StoredRow {
  place: string;
  sequence: Buffer;
  run: string;
  exchange: Exchange;
}

const OF_PATH = 'namespace = $1 AND recording = $2 AND method = $3 AND path = $4';

/** The exchanges of a path, in order. */
export function rowsAt({ query, namespace }: InNamespace, path: PathName): Promise<StoredRow[]> {
  return query<StoredRow>(
    `SELECT place, sequence, run, exchange FROM patchgate_exchange WHERE ${OF_PATH} ORDER BY place`,
    namesOf(namespace, path),
  );
}

type InNamespace = Pick<Database, 'query' | 'namespace'>;

type PathName = Pick<StoredPath, 'recording' | 'method' | 'path'>;

function namesOf(namespace: string, { recording, method, path }: PathName): string[] {
  return [namespace, recording, method, path];
}

/** Which exchanges of a recording are asked for; what is not given says nothing. */
interface Choice {
  /** `*` is any characters. */
  path?: string | undefined;
  method?: string | undefined;
  /** Their numbers in the recording, from 1. */
  numbers?: readonly number[];
}

/** Exchanges that are asked for at once. */
const ROWS = 200;

/** Exchanges of a recording with their numbers, in the order in which they came to the database. Only what is chosen is read. */
export async function* numberedIn(
  { query, namespace }: Database,
  recording: string,
  { path, method, numbers = [] }: Choice,
): AsyncGenerator<{ number: number; exchange: Exchange }> {
  const [found] = await query<{ places: number[] | null; numbers: number[] | null }>(
    `SELECT array_agg(place::float8 ORDER BY place) AS places, array_agg(number::float8 ORDER BY place) AS numbers
       FROM (SELECT place, method, path, row_number() OVER (ORDER BY place) AS number
               FROM patchgate_exchange WHERE namespace = $1 AND recording = $2) AS numbered
      WHERE ($3::text IS NULL OR path LIKE $3) AND ($4::text IS NULL OR upper(method) = upper($4))
        AND (cardinality($5::bigint[]) = 0 OR number = ANY ($5))`,
    [namespace, recording, path === undefined ? null : likeOf(path), method ?? null, numbers],
  );
  if (!found?.places || !found.numbers) return;
  for (let i = 0; i < found.places.length; i += ROWS)
    yield* await query<{ number: number; exchange: Exchange }>(
      `SELECT number, exchange FROM unnest($1::bigint[], $2::float8[]) AS chosen (place, number)
         JOIN patchgate_exchange USING (place) ORDER BY place`,
      [found.places.slice(i, i + ROWS), found.numbers.slice(i, i + ROWS)],
    );
}

/** `/api/*` as LIKE has it. */
function likeOf(path: string): string {
  return path.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
}

/** What is to be known of an exchange that is put into the database. */
export interface PutOptions {
  rules: MatchRules;
  /** Id of the run that recorded what is new. */
  run: string;
}

/**
 * Gives a path other exchanges than it had. Those that stay, and those that were only changed, keep what is known of them.
 *
 * @param path as it was when these were read
 * @throws PatchgateError `recording-in-use` where it was recorded into since
 */
export function putBack(
  database: Database,
  path: StoredPath,
  exchanges: readonly Exchange[],
  options: PutOptions,
): Promise<void> {
  const { namespace } = database;
  return database.transaction(async (query) => {
    const [now] = await query<{ version: string }>(
      `SELECT version FROM patchgate_path WHERE ${OF_PATH} FOR UPDATE`,
      namesOf(namespace, path),
    );
    if (now?.version !== path.version)
      throw new PatchgateError(
        'recording-in-use',
        `${path.recording} is recorded into: ${path.method} ${path.path} has changed meanwhile, and stays as it is`,
        { hint: 'run the same again; what was done to other paths stays done' },
      );
    const rows = await rowsAt({ query, namespace }, path);
    await writePath({ query, namespace }, path, carriedOver(exchanges, rows, options), 'all');
  });
}

/** What goes for the exchanges that are put in: what is there of the same requests, or nothing. */
export type Drops = 'same' | 'nothing';

/**
 * Puts exchanges of a path into the database.
 *
 * @param places theirs, ascending
 */
export function putIn(
  database: Database,
  path: PathName,
  { exchanges, places }: { exchanges: readonly Exchange[]; places: readonly number[] },
  options: PutOptions,
  drops: Drops,
): Promise<void> {
  const { namespace } = database;
  const entries = exchanges.map((exchange, i) => newEntry(exchange, places[i], options));
  return database.transaction((query) => writePath({ query, namespace }, path, entries, drops));
}

/** So many places behind all that are taken, ascending. */
export async function reservePlaces({ query }: Database, count: number): Promise<number[]> {
  const [reserved] = await query<{ places: number[] | null }>(
    `SELECT array_agg(nextval(pg_get_serial_sequence('patchgate_exchange', 'place'))::float8) AS places
       FROM generate_series(1, $1)`,
    [count],
  );
  return reserved?.places ?? [];
}

/** Removes what a path holds. */
export function emptyPath(database: Database, path: PathName): Promise<void> {
  const { namespace } = database;
  return database.transaction((query) => writePath({ query, namespace }, path, [], 'all'));
}

type Entry = Omit<StoredRow, 'place'> & { place: StoredRow['place'] | number | undefined };

function newEntry(exchange: Exchange, place: Entry['place'], { rules, run }: PutOptions): Entry {
  const { request, meta } = exchange;
  return { place, exchange, run, sequence: sequenceOf({ request, session: meta.session ?? '' }, rules) };
}

/** What is left of these rows, with what was changed in them. */
function carriedOver(
  exchanges: readonly Exchange[],
  rows: readonly StoredRow[],
  options: PutOptions,
): Entry[] {
  const texts = rows.map(({ exchange }) => exchangeText(exchange));
  let next = 0;
  return exchanges.map((exchange) => {
    // Where none is gone, each is in its place.
    const at = rows.length === exchanges.length ? next : texts.indexOf(exchangeText(exchange), next);
    const row = rows[at];
    if (!row) return newEntry(exchange, undefined, options);
    next = at + 1;
    const { place, run, sequence } = row;
    const isSame = isDeepStrictEqual(row.exchange.request, exchange.request);
    return isSame ? { place, run, sequence, exchange } : { ...newEntry(exchange, place, options), run };
  });
}

/** What one statement takes. */
const BATCH = { rows: 500, bytes: 4 * 1024 * 1024 };

async function writePath(
  { query, namespace }: InNamespace,
  path: PathName,
  entries: readonly Entry[],
  drops: Drops | 'all',
): Promise<void> {
  const names = namesOf(namespace, path);
  // Who changes the path waits here for another one. A path without exchanges keeps its version, which only rises.
  await query(
    `INSERT INTO patchgate_path (namespace, recording, method, path, version) VALUES ($1, $2, $3, $4, 1)
       ON CONFLICT (namespace, recording, path, method) DO UPDATE SET version = patchgate_path.version + 1`,
    names,
  );
  const answered = entries.map(({ sequence }) => sequence);
  if (drops !== 'nothing')
    await query(
      `DELETE FROM patchgate_exchange WHERE ${OF_PATH} AND ($5::bytea[] IS NULL OR sequence = ANY ($5))`,
      [...names, drops === 'all' ? null : answered],
    );
  const left = [...entries];
  while (left.length > 0) {
    const texts: string[] = [];
    let bytes = 0;
    for (const { exchange } of left.slice(0, BATCH.rows)) {
      if (bytes > BATCH.bytes) break;
      const text = JSON.stringify(inOrder(exchange));
      texts.push(text);
      bytes += text.length;
    }
    const batch = left.splice(0, texts.length);
    await query(
      `INSERT INTO patchgate_exchange (place, namespace, recording, method, path, sequence, run, exchange)
       OVERRIDING SYSTEM VALUE
       SELECT coalesce(place, nextval(pg_get_serial_sequence('patchgate_exchange', 'place'))),
              $1, $2, $3, $4, sequence, run, exchange
         FROM (SELECT * FROM ROWS FROM (unnest($5::bigint[], $6::bytea[], $7::text[]), json_array_elements($8))
                 WITH ORDINALITY AS new (place, sequence, run, exchange, number) ORDER BY number) AS new`,
      [
        ...[...names, batch.map(({ place }) => place ?? null), batch.map(({ sequence }) => sequence)],
        ...[batch.map(({ run }) => run), jsonListOf(texts)],
      ],
    );
  }
  await query(
    `UPDATE patchgate_path SET exchanges = (SELECT count(*) FROM patchgate_exchange WHERE ${OF_PATH}) WHERE ${OF_PATH}`,
    names,
  );
}
