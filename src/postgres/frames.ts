import type { Exchange } from '../model/exchange.ts';
import { noSuchRecording } from '../recordings/files.ts';
import { decodeFrame, encodeFrame, type MergeMode } from '../recordings/journal.ts';
import type { MatchRules } from '../recordings/match.ts';
import { merge, withoutSurplus } from '../recordings/merge.ts';
import type { Place } from '../recordings/names.ts';
import { type PlainExchange, toStoredExchange } from '../recordings/plain-exchange.ts';
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

/**
 * Inserts exchanges, and lines of the audit: frames without a method.
 *
 * @param replaced ordinals of the rows whose place they take
 * @throws PatchgateError `store-unavailable`
 */
export async function insertFrames(
  { query }: Asked,
  { recording, run, mode, first }: Batch,
  frames: readonly PlainExchange[],
  replaced: readonly string[] = [],
): Promise<void> {
  const all = frames.map((frame, i) => ({ frame, number: first + i }));
  const lines = all.filter(({ frame }) => frame.request.method === '');
  const exchanges = all.filter(({ frame }) => frame.request.method !== '');
  if (lines.length > 0)
    await query(
      `INSERT INTO patchgate_audit (run, number, at, line) SELECT $1, number, at, line::json
       FROM unnest($2::bigint[], $3::timestamptz[], $4::text[]) AS one (number, at, line) ON CONFLICT DO NOTHING`,
      [
        run,
        lines.map(({ number }) => number),
        lines.map(({ frame }) => frame.meta.recordedAt),
        lines.map(({ frame }) => frame.request.body.toString()),
      ],
    );
  if (exchanges.length + replaced.length > 0)
    await query(
      `WITH gone AS (DELETE FROM patchgate_exchanges WHERE ordinal = ANY($8))
       INSERT INTO patchgate_exchanges (recording, run, mode, number, method, path, frame)
       SELECT $1, $2, $3, one.* FROM unnest($4::bigint[], $5::text[], $6::text[], $7::bytea[])
         AS one (number, method, path, frame) ORDER BY number ON CONFLICT DO NOTHING`,
      [
        ...[recording, run, mode],
        exchanges.map(({ number }) => number),
        exchanges.map(({ frame }) => frame.request.method),
        exchanges.map(({ frame }) => frame.request.path),
        exchanges.map(({ frame }) => Buffer.concat(encodeFrame(frame))),
        replaced,
      ],
    );
}

interface Row {
  ordinal: string;
  run: string;
  mode: MergeMode;
  frame: Buffer;
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
): Promise<{ ordinals: string[]; exchanges: readonly Exchange[] }> {
  const rows = await query<Row>(
    `SELECT ordinal, run, mode, frame FROM patchgate_exchanges WHERE ${OF_PATH} ORDER BY ordinal`,
    [recording, path, method],
  );
  let exchanges: readonly Exchange[] = [];
  for (const own of runsOf(rows)) {
    const batch = own.map(({ frame }) => toStoredExchange(decodeFrame(frame)));
    if (own[0]?.mode !== 'all') exchanges = [...exchanges, ...batch];
    else {
      const merged = merge(exchanges, batch, 'all', {}, rules);
      exchanges = withoutSurplus(merged.exchanges, merged.counts, rules);
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

export function placesOf({ query }: Asked, recording: string): Promise<Place[]> {
  return query<Place>('SELECT DISTINCT method, path FROM patchgate_exchanges WHERE recording = $1', [
    recording,
  ]);
}

export async function recordingsIn({ query }: Asked): Promise<string[]> {
  const rows = await query<{ recording: string }>(
    'SELECT DISTINCT recording COLLATE "C" AS recording FROM patchgate_exchanges ORDER BY 1',
  );
  return rows.map(({ recording }) => recording);
}

/** @throws PatchgateError `bad-usage` if the database has no such recording */
export async function requireStored(database: Database, recording: string): Promise<void> {
  const names = await recordingsIn(database);
  if (names.includes(recording)) return;
  throw noSuchRecording(recording, names, database.name, database.name);
}
