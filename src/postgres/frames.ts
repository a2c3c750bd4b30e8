import { randomUUID } from 'node:crypto';
import { PatchgateError } from '../errors.ts';
import type { Exchange } from '../model/exchange.ts';
import { noSuchRecording } from '../recordings/find-recording.ts';
import { decodeFrame, encodeFrame, type MergeMode } from '../recordings/journal.ts';
import type { MatchRules } from '../recordings/match-rules.ts';
import { merge, withoutSurplus } from '../recordings/merge.ts';
import { keysBy } from '../recordings/merge-files.ts';
import type { Place } from '../recordings/names.ts';
import { type PlainExchange, toPlainExchange, toStoredExchange } from '../recordings/plain-exchange.ts';
import type { Database } from './database.ts';

type Asked = Pick<Database, 'query'>;

/** Frames of one run. */
interface Batch {
  recording: string;
  run: string;
  mode: MergeMode;
  /** Number of the first one in its run. The same number is inserted once. */
  first: number;
}

/** What one statement takes at most, unless one frame is longer. */
const MOST_ROWS = 500;
const MOST_BYTES = 4 * 1024 * 1024;

/** Inserts exchanges, and lines of the audit: frames without a method. @throws PatchgateError `store-unavailable` */
export async function insertFrames(
  { query }: Asked,
  { recording, run, mode, first }: Batch,
  frames: readonly PlainExchange[],
): Promise<void> {
  for (let from = 0; from < frames.length; ) {
    const exchanges: [number: number, method: string, path: string, frame: Buffer][] = [];
    const lines: [number: number, at: string, line: string][] = [];
    for (let bytes = 0; from < frames.length && exchanges.length + lines.length < MOST_ROWS; from++) {
      const frame = frames[from] as PlainExchange;
      const { method, path, body } = frame.request;
      const encoded = encodeFrame(frame);
      if (method === '') lines.push([first + from, new Date(frame.startedAt).toISOString(), body.toString()]);
      else exchanges.push([first + from, method, path, encoded]);
      bytes += encoded.length;
      if (bytes > MOST_BYTES) {
        from++;
        break;
      }
    }
    const columnsOf = (rows: readonly unknown[][], count: number) =>
      Array.from({ length: count }, (_, column) => rows.map((row) => row[column]));
    if (lines.length > 0)
      await query(
        `INSERT INTO patchgate_audit (run, number, at, line) SELECT $1, number, at, line::json
         FROM unnest($2::bigint[], $3::timestamptz[], $4::text[]) AS one (number, at, line) ON CONFLICT DO NOTHING`,
        [run, ...columnsOf(lines, 3)],
      );
    if (exchanges.length > 0)
      await query(
        `INSERT INTO patchgate_exchanges (recording, run, mode, number, method, path, frame)
         SELECT $1, $2, $3, one.* FROM unnest($4::bigint[], $5::text[], $6::text[], $7::bytea[])
           AS one (number, method, path, frame) ORDER BY number ON CONFLICT DO NOTHING`,
        [recording, run, mode, ...columnsOf(exchanges, 4)],
      );
  }
}

interface Row {
  ordinal: string;
  run: string;
  mode: MergeMode;
  frame: Buffer;
}

/** What a path of a recording holds. */
export interface FramesOfPath {
  /** Of all rows, ascending. */
  ordinals: string[];
  exchanges: readonly Exchange[];
}

/** The index has no room for long paths. */
const OF_PATH = `recording = $1 AND md5(path) = md5($2) AND path = $2 AND method = $3`;

/**
 * Reads a path. The runs are merged as those of files are: of a run of mode `all`, the n-th answer to a request takes the place of the
 * n-th that there was.
 */
export async function framesOf(
  { query }: Asked,
  recording: string,
  { method, path }: Place,
  rules: MatchRules,
): Promise<FramesOfPath> {
  const rows = await query<Row>(
    `SELECT ordinal, run, mode, frame FROM patchgate_exchanges WHERE ${OF_PATH} ORDER BY ordinal`,
    [recording, path, method],
  );
  const keyOf = keysBy(rules);
  let exchanges: readonly Exchange[] = [];
  for (const own of runsOf(rows)) {
    const batch = own.map(({ frame }) => toStoredExchange(decodeFrame(frame)));
    if (own[0]?.mode !== 'all') exchanges = [...exchanges, ...batch];
    else {
      const merged = merge(exchanges, batch, 'all', {}, keyOf);
      exchanges = withoutSurplus(merged.exchanges, merged.counts, keyOf);
    }
  }
  return { ordinals: rows.map(({ ordinal }) => ordinal), exchanges };
}

/** Rows of mode `all` by their runs, and all others in their order between these. */
function runsOf(rows: readonly Row[]): Row[][] {
  const runs: Row[][] = [];
  for (const row of rows) {
    const own = row.mode === 'all' ? runs.find(([first]) => first?.run === row.run) : runs.at(-1);
    if (own?.[0]?.mode === row.mode) own.push(row);
    else runs.push([row]);
  }
  return runs;
}

/**
 * Gives a path other frames than it had.
 *
 * @param ordinals of what it had
 * @throws PatchgateError `recording-in-use` where somebody else did that, or recorded into it, since
 */
export async function replaceFrames(
  database: Database,
  batch: Batch,
  { method, path }: Place,
  ordinals: readonly string[],
  frames: readonly PlainExchange[],
): Promise<void> {
  const { recording } = batch;
  const { query, commit, rollback } = await database.begin('');
  try {
    const gone = await query<{ ordinal: string }>(
      `DELETE FROM patchgate_exchanges WHERE ${OF_PATH} RETURNING ordinal`,
      [recording, path, method],
    );
    if (gone.length !== ordinals.length || gone.some(({ ordinal }) => !ordinals.includes(ordinal)))
      throw new PatchgateError(
        'recording-in-use',
        `${recording} is recorded into: ${method} ${path} has changed meanwhile, and stays as it is`,
        { hint: 'run the same again; what was done to other paths stays done' },
      );
    await insertFrames({ query }, batch, frames);
    await commit();
  } catch (error) {
    await rollback();
    throw error;
  }
}

/** Drops the rows of a path that others have taken the place of. Readers merge what it leaves. @throws PatchgateError `recording-in-use` */
export async function compact(
  database: Database,
  recording: string,
  place: Place,
  rules: MatchRules,
): Promise<void> {
  const { ordinals, exchanges } = await framesOf(database, recording, place, rules);
  if (ordinals.length === exchanges.length) return;
  const batch = { recording, run: randomUUID(), mode: 'append' as const, first: 0 };
  await replaceFrames(database, batch, place, ordinals, exchanges.map(toPlainExchange));
}

export function placesOf({ query }: Asked, recording: string): Promise<Place[]> {
  return query<Place>('SELECT DISTINCT method, path FROM patchgate_exchanges WHERE recording = $1', [
    recording,
  ]);
}

/** Names of all recordings. */
export async function recordingsIn({ query }: Asked): Promise<string[]> {
  const rows = await query<{ recording: string }>(
    'SELECT DISTINCT recording COLLATE "C" AS recording FROM patchgate_exchanges ORDER BY 1',
  );
  return rows.map(({ recording }) => recording);
}

/** @param hint where it is not there @throws PatchgateError `bad-usage` where the database has no such recording */
export async function requireStored(
  database: Database,
  recording: string,
  hint = `record one: patchgate proxy <target> --store URL --record --recording ${recording}`,
): Promise<void> {
  const names = await recordingsIn(database);
  if (names.includes(recording)) return;
  throw noSuchRecording(recording, names, database.name, database.name, hint);
}
