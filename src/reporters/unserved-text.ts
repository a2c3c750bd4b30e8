/** What was never served of a recording. */
export interface UnservedList {
  recording: string;
  /** Only of what was recorded in this one; `""`: in none. */
  session?: string;
  /** Exchanges in it. */
  total: number;
  /** How many of them were never served. */
  count: number;
  /** Some of these. */
  exchanges: readonly UnservedLine[];
}

export interface UnservedLine {
  method: string;
  path: string;
  query: string;
  /** The session that it was recorded in, where that has a name. */
  session?: string;
  /** Which of those recorded for the same request in that session it is: `2 of 5`. */
  place?: string;
  /** ISO 8601, UTC. */
  recordedAt: string;
  /** Why it could not be served whatever was asked for. */
  reason?: keyof typeof REASONS;
}

const REASONS = {
  failure: 'a failure: only served with --replay-failures',
  omitted: 'its body was not kept: never served',
  stale: 'stale: never served with --on-stale refuse',
};

/** Which exchanges a run never served, each in a line, for people. */
export function unservedText({ recording, session, total, count, exchanges }: UnservedList): string {
  const lines = exchanges.map(lineOf);
  if (count > lines.length) lines.push(`and ${count - lines.length} more`);
  const were = count === 1 ? 'was' : 'were';
  const list = lines.map((line) => `\n  ${line}`).join('');
  const of = `"${recording}"${session === undefined ? '' : `, recorded in ${sessionText(session)},`}`;
  return `${count} of ${total} exchanges of ${of} ${were} never served:${list}`;
}

function lineOf({ method, path, query, session, place, recordedAt, reason }: UnservedLine): string {
  const what = `${method} ${path}${query === '' ? '' : `?${query}`}`;
  const which = place === undefined ? '' : ` (${place})`;
  const why = reason === undefined ? '' : `; ${REASONS[reason]}`;
  const where = session === undefined ? '' : ` in ${sessionText(session)}`;
  return `${what}${which}, recorded ${recordedAt.slice(0, 10)}${where}${why}`;
}

/** As a text has it: `the session "adds a language"`. @param name `""`: that of the requests that name none */
export function sessionText(name: string): string {
  return name === '' ? 'no session' : `the session ${JSON.stringify(name)}`;
}
