import { readFileSync } from 'node:fs';
import { PatchgateError } from '../errors.ts';

/** Runs one statement. @throws PatchgateError `store-unavailable` where the database is away */
export type Query = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** For `json_array_elements`: the package pg takes long to write long texts into an array of PostgreSQL's. @param texts of JSON */
export function jsonListOf(texts: readonly string[]): string {
  return `[${texts.join(',')}]`;
}

/** Of the tables in tables.sql. */
const VERSION = 1;

/** Of the transaction that makes the tables; any number that no other program takes: `patchgat` in ASCII. */
const LOCK = '8097879345962868084';

/**
 * Makes the tables where they are missing. Gates that start together wait for the one that does.
 *
 * @returns the id of the database
 * @throws PatchgateError `store-too-new` where another version has made them
 */
export async function makeTables(query: Query): Promise<string> {
  await query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  // Where the tables are there, no right to make any is needed.
  const [{ isThere } = {}] = await query<{ isThere: boolean }>(
    `SELECT to_regclass('patchgate_version') IS NOT NULL AS "isThere"`,
  );
  if (!isThere) await query(readFileSync(new URL('./tables.sql', import.meta.url), 'utf8'));
  const [found] = await query<{ version: number; database: string }>('SELECT * FROM patchgate_version');
  const { version, database } = found as { version: number; database: string };
  if (version === VERSION) return database;
  throw new PatchgateError(
    'store-too-new',
    `the tables have version ${version}, and this Patchgate knows ${VERSION}`,
    { hint: 'install the version of Patchgate that the other gates have' },
  );
}
