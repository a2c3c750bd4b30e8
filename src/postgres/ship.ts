import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { Journal, linesIn } from '../recordings/store/journal.ts';
import type { Database } from './database.ts';
import { jsonListOf, type Query } from './tables.ts';

/** What a line of an outbox says of the exchange that stands behind it. */
export interface ExchangeHead {
  recording: string;
  method: string;
  path: string;
  /** In hexadecimal digits. */
  sequence: string;
  run: string;
  /** What other runs have of its sequence goes. */
  replaces?: boolean;
}

/** The same of a line of the audit. */
interface AuditHead {
  /** ISO 8601, UTC. */
  at: string;
}

/** A line of an outbox: its number and its head as JSON, a tab, and the JSON that the database keeps. */
export interface Line<Head = ExchangeHead | AuditHead> {
  /** From 1. */
  seq: number;
  head: Head;
  text: string;
}

/** Where an exchange stands in the database now. */
export interface Row {
  seq: number;
  place: string;
  /** Another one, where its row was changed since. */
  revision: string;
}

/** What one transaction ships at most, unless one line is longer. */
const MOST_LINES = 500;
const MOST_BYTES = 4 * 1024 * 1024;

/** What became of the first lines behind a position. */
interface Shipped {
  /** Where they end. */
  end: number;
  /** The number of the last one. */
  seq: number;
  /** The exchanges that the database did not have before. */
  rows: Row[];
}

export function lineText(seq: number, head: Line['head'], text: string): string {
  return `${JSON.stringify([seq, head])}\t${text}\n`;
}

/**
 * Ships the first lines of an outbox's file behind a position, those that the database does not have by now.
 *
 * @param upTo where its lines end
 * @param refuse told why the database does not take a line
 * @returns undefined where there are none
 * @throws PatchgateError `store-unavailable`, `cannot-read`; what else keeps the database from taking any
 */
export async function shipNext(
  database: Database,
  id: string,
  file: string,
  [from, upTo]: readonly [number, number],
  refuse: (why: Error) => void,
): Promise<Shipped | undefined> {
  const { lines, size } = readLines(file, from, upTo);
  if (lines.length === 0) return undefined;
  const read = lines.flatMap((line) => readLine(line) ?? []);
  const rows = await shipOrHalve(database, id, file, read, refuse);
  for (let i = read.length; i < lines.length; i++) refuse(new Error(`${file} has a broken line`));
  return { end: from + size, seq: read.at(-1)?.seq ?? 0, rows };
}

/** One line that the database refuses does not keep it from the others: it is put aside before any behind it is shipped. */
async function shipOrHalve(
  database: Database,
  id: string,
  file: string,
  lines: readonly Line[],
  refuse: (why: Error) => void,
): Promise<Row[]> {
  if (lines.length === 0) return [];
  try {
    return await database.transaction((query) => put(query, database.namespace, id, lines));
  } catch (error) {
    if (!isOfLine(error)) throw error;
    const [one] = lines as [Line];
    if (lines.length === 1) {
      const why = putAside(file, one, error);
      // Those behind it may have to be tried again, and this one is not put aside once more.
      await database.query(
        `INSERT INTO patchgate_outbox (id, shipped) VALUES ($1, $2)
         ON CONFLICT (id) DO UPDATE SET shipped = excluded.shipped, shipped_at = now()`,
        [id, one.seq],
      );
      refuse(why);
      return [];
    }
    const half = lines.length >> 1;
    const rows = await shipOrHalve(database, id, file, lines.slice(0, half), refuse);
    return [...rows, ...(await shipOrHalve(database, id, file, lines.slice(half), refuse))];
  }
}

/** Data exceptions, violated constraints, exceeded limits, and what takes too long: it would be refused for ever. */
function isOfLine(error: unknown): boolean {
  const { cause } = error as Error;
  return /^(?:(?:22|23|54)...|57014)$/.test(systemCode(cause ?? error) ?? '');
}

/** @throws where the disk does not take it: it is tried again */
function putAside(file: string, { seq, head, text }: Line, cause: unknown): PatchgateError {
  const aside = `${file}.refused`;
  const journal = new Journal(aside, { isShared: true, isDurable: true });
  try {
    journal.append(Buffer.from(lineText(seq, head, text)));
  } finally {
    journal.close();
  }
  return new PatchgateError(
    'cannot-write',
    `the database refuses what ${aside} keeps now: ${messageOf(cause)}`,
    { hint: 'to ship it later, add .ndjson to the name of that file, and start again', cause },
  );
}

/** Puts lines into the tables, those that are not there yet. */
async function put(query: Query, namespace: string, id: string, lines: readonly Line[]): Promise<Row[]> {
  const [before] = await query<{ shipped: string }>(
    `INSERT INTO patchgate_outbox (id, shipped) VALUES ($1, 0)
     ON CONFLICT (id) DO UPDATE SET shipped_at = now() RETURNING shipped`,
    [id],
  );
  const left = lines.filter(({ seq }) => seq > Number(before?.shipped));
  if (left.length === 0) return [];
  const exchanges = left.filter((line): line is Line<ExchangeHead> => 'recording' in line.head);
  const audit = left.filter((line): line is Line<AuditHead> => 'at' in line.head);
  const rows = exchanges.length > 0 ? await putExchanges(query, namespace, exchanges) : [];
  if (audit.length > 0)
    await query(
      `INSERT INTO patchgate_audit (namespace, at, line)
       SELECT $1, at, line FROM ROWS FROM (unnest($2::timestamptz[]), json_array_elements($3))
         WITH ORDINALITY AS one (at, line, nr) ORDER BY nr`,
      [namespace, audit.map(({ head }) => head.at), jsonListOf(audit.map(({ text }) => text))],
    );
  await query('UPDATE patchgate_outbox SET shipped = $2 WHERE id = $1', [id, left.at(-1)?.seq]);
  return rows;
}

async function putExchanges(
  query: Query,
  namespace: string,
  lines: readonly Line<ExchangeHead>[],
): Promise<Row[]> {
  const columnsOf = (of: readonly Line<ExchangeHead>[], ...names: (keyof ExchangeHead)[]) =>
    names.map((name) => of.map(({ head }) => head[name]));
  // Who changes a path holds its row. All take several of them in this order, so that none waits for another in a circle.
  await query(
    `INSERT INTO patchgate_path AS before (namespace, recording, method, path, exchanges, version)
     SELECT $1, recording, method, path, count(*), 1 FROM unnest($2::text[], $3::text[], $4::text[]) AS one (recording, method, path)
     GROUP BY recording, method, path ORDER BY recording, path, method
     ON CONFLICT (namespace, recording, path, method)
     DO UPDATE SET exchanges = before.exchanges + excluded.exchanges, version = before.version + 1`,
    [namespace, ...columnsOf(lines, 'recording', 'method', 'path')],
  );
  const replacing = lines.filter(({ head }) => head.replaces);
  if (replacing.length > 0)
    await query(
      `WITH gone AS (
         DELETE FROM patchgate_exchange AS former
         USING unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS one (recording, method, path, sequence, run)
         WHERE former.namespace = $1 AND former.recording = one.recording AND former.method = one.method
           AND former.path = one.path AND former.sequence = decode(one.sequence, 'hex') AND former.run <> one.run
         RETURNING former.recording, former.method, former.path
       ), counted AS (SELECT recording, method, path, count(*) AS gone FROM gone GROUP BY recording, method, path)
       UPDATE patchgate_path AS before SET exchanges = before.exchanges - counted.gone FROM counted
       WHERE before.namespace = $1 AND before.recording = counted.recording AND before.method = counted.method
         AND before.path = counted.path`,
      [namespace, ...columnsOf(replacing, 'recording', 'method', 'path', 'sequence', 'run')],
    );
  const rows = await query<Omit<Row, 'seq'>>(
    `INSERT INTO patchgate_exchange (namespace, recording, method, path, sequence, run, exchange)
     SELECT $1, recording, method, path, decode(sequence, 'hex'), run, exchange
     FROM ROWS FROM (unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]), json_array_elements($7))
       WITH ORDINALITY AS one (recording, method, path, sequence, run, exchange, nr) ORDER BY nr
     RETURNING place, pg_current_xact_id()::xid::text AS revision`,
    [
      ...[namespace, ...columnsOf(lines, 'recording', 'method', 'path', 'sequence', 'run')],
      jsonListOf(lines.map(({ text }) => text)),
    ],
  );
  return rows.map((row, i) => ({ seq: (lines[i] as Line).seq, ...row }));
}

/** Whole lines behind a position, and how many bytes they take. */
function readLines(file: string, from: number, upTo: number): { lines: Buffer[]; size: number } {
  const fd = openSync(file, 'r');
  try {
    const left = Math.min(upTo, fstatSync(fd).size) - from;
    for (let most = MOST_BYTES; ; most *= 2) {
      const bytes = Buffer.alloc(Math.max(0, Math.min(most, left)));
      readSync(fd, bytes, 0, bytes.length, from);
      const { lines, size } = linesIn(bytes);
      if (lines.length === 0 && most < left) continue;
      if (lines.length <= MOST_LINES) return { lines, size };
      const first = lines.slice(0, MOST_LINES);
      return { lines: first, size: first.reduce((sum, { length }) => sum + length + 1, 0) };
    }
  } finally {
    closeSync(fd);
  }
}

/** Undefined where it is none, as after a power failure. */
function readLine(line: Buffer): Line | undefined {
  const tab = line.indexOf('\t');
  try {
    const [seq, head] = JSON.parse(line.toString('utf8', 0, tab)) as [number, Line['head']];
    return tab < 0 ? undefined : { seq, head, text: line.toString('utf8', tab + 1) };
  } catch {
    return undefined;
  }
}
