import { PatchgateError } from '../errors.ts';

/** Runs one statement. @throws PatchgateError `store-unavailable` where the database is away */
export type Query = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** For `json_array_elements`: the package pg takes long to write long texts into an array of PostgreSQL's. @param texts of JSON */
export function jsonListOf(texts: readonly string[]): string {
  return `[${texts.join(',')}]`;
}

/** Bytes of a path: a longer one fits into no index. */
export const LONGEST_PATH = 2000;

/** Each step was released as it is: changes come behind them. Their count is the version of the tables. */
const STEPS = [
  `
  -- What is known of the records of one kind and id, and who may send a PATCH of them to the service: in one row, since only
  -- what stands in the row that a statement has locked is surely as it is now.
  CREATE TABLE patchgate_record (
    namespace    text NOT NULL,
    service      text NOT NULL,             -- origin of the target
    kind         text NOT NULL,
    id           text NOT NULL,
    states       json NOT NULL DEFAULT '[]', -- by each of their names; not jsonb: items are compared as texts
    version      bigint NOT NULL DEFAULT 0, -- counts the writes of states
    leases       jsonb NOT NULL DEFAULT '[]',
    fence        bigint NOT NULL DEFAULT 0, -- counts the leases
    wanted_until timestamptz,               -- somebody waits to be alone: until then nobody begins to share
    PRIMARY KEY (namespace, service, kind, id)
  );
  CREATE TABLE patchgate_approval (
    namespace    text NOT NULL,
    service      text NOT NULL,
    id           text NOT NULL,
    token        text NOT NULL,          -- its hash
    approval     json NOT NULL,          -- as a state file has it; what has a column is read there
    status       text NOT NULL,
    decided_by   text,
    version      integer NOT NULL DEFAULT 0,
    requested_at timestamptz NOT NULL DEFAULT now(),
    used_at      timestamptz,
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (namespace, service, id)
  );
  CREATE UNIQUE INDEX patchgate_approval_token ON patchgate_approval (namespace, service, token);
  CREATE INDEX patchgate_approval_requested ON patchgate_approval (namespace, service, requested_at);
  CREATE INDEX patchgate_approval_expires ON patchgate_approval (namespace, service, expires_at);

  -- The files of a recording, so to say: each change of one locks its row.
  CREATE TABLE patchgate_path (
    namespace text NOT NULL,
    recording text NOT NULL,
    method    text NOT NULL,
    path      text NOT NULL,
    exchanges integer NOT NULL DEFAULT 0,
    version   bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace, recording, path, method)
  );
  CREATE FUNCTION patchgate_tell_of_path() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    one patchgate_path := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  BEGIN
    IF TG_OP = 'DELETE' THEN
      one.exchanges := 0;
      one.version := one.version + 1;
    END IF;
    PERFORM pg_notify('patchgate_path', json_build_array(
      one.namespace, one.recording, one.method, one.path, one.exchanges, one.version)::text);
    RETURN NULL;
  END $$;
  CREATE TRIGGER patchgate_path_changed AFTER INSERT OR UPDATE OR DELETE ON patchgate_path
    FOR EACH ROW EXECUTE FUNCTION patchgate_tell_of_path();
  CREATE TABLE patchgate_exchange (
    place     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    recording text NOT NULL,
    method    text NOT NULL,
    path      text NOT NULL,
    sequence  bytea NOT NULL,            -- hash of the request and its session
    run       text NOT NULL,
    exchange  json NOT NULL              -- as a file has it, bodies inline; not jsonb: bytes stay as they are
  );
  CREATE INDEX patchgate_exchange_path ON patchgate_exchange (namespace, recording, path, method, place);
  CREATE INDEX patchgate_exchange_sequence ON patchgate_exchange (sequence);
  CREATE TABLE patchgate_audit (
    place     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    at        timestamptz NOT NULL,
    line      json NOT NULL
  );
  CREATE INDEX patchgate_audit_at ON patchgate_audit (namespace, at);
  -- How far the outbox of each gate was shipped.
  CREATE TABLE patchgate_outbox (
    id         text PRIMARY KEY,
    shipped    bigint NOT NULL,
    shipped_at timestamptz NOT NULL DEFAULT now()
  );
  `,
  // Outboxes are told by it for which database they are. It outlives a dump, a restore and a failover.
  'ALTER TABLE patchgate_version ADD COLUMN database uuid NOT NULL DEFAULT gen_random_uuid()',
] as const;

/** Of the transaction that makes the tables; any number that no other program takes: `patchgat` in ASCII. */
const MIGRATION_LOCK = '8097879345962868084';

/**
 * Makes the tables, or brings them up to date. Gates that start together wait for the one that does.
 *
 * @returns the id of the database
 * @throws PatchgateError `store-too-new` where a newer version has made them
 */
export async function migrate(query: Query): Promise<string> {
  await query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  // Where the tables are there, no right to make any is needed.
  const [{ isThere } = {}] = await query<{ isThere: boolean }>(
    `SELECT to_regclass('patchgate_version') IS NOT NULL AS "isThere"`,
  );
  if (!isThere) {
    await query('CREATE TABLE patchgate_version (version integer NOT NULL)');
    await query('INSERT INTO patchgate_version VALUES (0)');
  }
  const [found] = await query<VersionRow>('SELECT * FROM patchgate_version');
  const { version, database } = found as VersionRow;
  if (version > STEPS.length)
    throw new PatchgateError(
      'store-too-new',
      `the tables have version ${version}, and this Patchgate knows ${STEPS.length}`,
      { hint: 'install the version of Patchgate that the other gates have' },
    );
  if (version === STEPS.length) return database;
  for (const step of STEPS.slice(version)) await query(step);
  const [made] = await query<VersionRow>('UPDATE patchgate_version SET version = $1 RETURNING *', [
    STEPS.length,
  ]);
  return (made as VersionRow).database;
}

/** The row of `patchgate_version`. */
interface VersionRow {
  version: number;
  /** Id of the database; there since version 2. */
  database: string;
}
