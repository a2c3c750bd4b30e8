import type { Database } from './database.ts';

/** Lines that are asked for at once. */
const ROWS = 1000;

/** The audit of all gates, as a file would have it, in the order in which it came to the database. */
export async function* auditOf({ query, namespace }: Database): AsyncGenerator<Buffer> {
  let last = '0';
  for (;;) {
    const rows = await query<{ place: string; line: string }>(
      `SELECT place, line::text AS line FROM patchgate_audit
        WHERE namespace = $1 AND place > $2 ORDER BY place LIMIT ${ROWS}`,
      [namespace, last],
    );
    for (const { line } of rows) yield Buffer.from(`${line}\n`);
    if (rows.length < ROWS) return;
    last = rows.at(-1)?.place as string;
  }
}
