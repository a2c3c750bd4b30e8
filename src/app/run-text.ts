/** What a run against a recording tells people at its end. */
import { join } from 'node:path';
import { amount, grouped, shortened } from '../reporters/wording.ts';
import type { IdleFault } from '../server/faults/fault-list.ts';
import type { Config } from '../settings/config.ts';
import type { Missed, MissedRequest } from '../upstreams/replay/misses.ts';
import type { CrossSessionHit } from '../upstreams/replay/served.ts';
import type { Unserved, UnservedExchange } from '../upstreams/replay/unserved.ts';
import type { Patchgate } from './patchgate.ts';

/** Reasons that are shown, and characters of each; sessions that are named. */
const MOST_REASONS = 20;
const MOST_CHARACTERS = 2000;
const MOST_SESSIONS = { ofMisses: 3, ofHits: 10 };

/** Where a run has recorded: `recordings/checkout`. @param waiting lines that the database does not have: a notice names their file */
export function recordedAt(
  { store, recordings, recording }: Pick<Config, 'store' | 'recordings' | 'recording'>,
  waiting: number,
): string {
  if (store === undefined) return join(recordings, recording);
  const lacking = waiting > 0 ? `, which lacks ${amount(waiting, 'line')} so far` : '';
  return `"${recording}" of the database${lacking}`;
}

/** Which requests of a run had no answer, each reason once with what to do about it; undefined where there is none. */
export function missesText({ count, misses, isOrdered }: Missed): string | undefined {
  if (count === 0) return undefined;
  const byText = new Map<string, MissedRequest[]>();
  for (const miss of misses) byText.set(miss.text, [...(byText.get(miss.text) ?? []), miss]);
  const shown = [...byText.values()].slice(0, MOST_REASONS);
  const lines = shown.flatMap((alike, index) => {
    const { text, hint } = alike[0] as MissedRequest;
    // Most often it is the same for all.
    const isSaidNext = shown[index + 1]?.[0]?.hint === hint;
    const line = `  ${shortened(text, MOST_CHARACTERS)}${oftenText(alike)}`;
    return isSaidNext ? [line] : [line, `    ${hint}`];
  });
  const more = count - shown.flat().reduce((sum, one) => sum + one.count, 0);
  if (more > 0) lines.push(`  and ${grouped(more)} more`);
  if (isOrdered)
    lines.push(
      '  it may be the order, too: what was recorded several times is answered in the order of recording',
      '    tests that run in another order, or at once, need a session each: the header Patchgate-Session, or a base URL of its own',
    );
  return [`${amount(count, 'request')} had no answer in the recording:`, ...lines].join('\n');
}

/** ` (3 times, sessions a, b and 2 more)` */
function oftenText(alike: readonly MissedRequest[]): string {
  const times = alike.reduce((sum, one) => sum + one.count, 0);
  const named = alike.map(({ session }) => session).filter((session) => session !== '');
  const more = named.length - MOST_SESSIONS.ofMisses;
  const sessions = `${named.slice(0, MOST_SESSIONS.ofMisses).join(', ')}${more > 0 ? ` and ${grouped(more)} more` : ''}`;
  const parts = [
    ...(times > 1 ? [`${grouped(times)} times`] : []),
    ...(named.length > 0 ? [`${named.length > 1 ? 'sessions' : 'session'} ${sessions}`] : []),
  ];
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

/**
 * Which sessions were answered with what others recorded; undefined where there is none.
 *
 * @param again how their tests are recorded
 */
export function crossSessionText(sessions: readonly CrossSessionHit[], again: string): string | undefined {
  if (sessions.length === 0) return undefined;
  const count = sessions.reduce((sum, one) => sum + one.count, 0);
  const more = sessions.length - MOST_SESSIONS.ofHits;
  return [
    `${amount(count, 'request')} ${count === 1 ? 'was' : 'were'} answered with what other sessions recorded, as the recording has nothing of their own:`,
    ...sessions
      .slice(0, MOST_SESSIONS.ofHits)
      .map(({ session, count }) => `  ${amount(count, 'request')} of ${sessionText(session)}`),
    ...(more > 0 ? [`  and those of ${grouped(more)} more sessions`] : []),
    `    a test that is new, or was renamed: record it: ${again}`,
  ].join('\n');
}

/** Undefined where no recording is replayed, or a file of it cannot be read: that was told. */
export async function unservedOf(
  gate: Pick<Patchgate, 'unserved' | 'counts'>,
): Promise<Unserved | undefined> {
  try {
    return await gate.unserved();
  } catch (error) {
    if (gate.counts().failed > 0) return undefined;
    throw error;
  }
}

/** How many exchanges a run never served, in one line. @param how to list them */
export function unservedCount({ recording, total, count }: Unserved, how = ''): string {
  return `${amount(count, 'exchange')} not served (of ${total} in "${recording}"${how})`;
}

/** Which exchanges a run never served, each in a line. */
export function unservedText({ recording, session, total, count, exchanges }: Unserved): string {
  if (count === 0) return `every exchange of "${recording}" was served (${total})`;
  const lines = exchanges.map(unservedLine);
  if (count > lines.length) lines.push(`and ${count - lines.length} more`);
  const list = lines.map((line) => `\n  ${line}`).join('');
  const of = `"${recording}"${session === undefined ? '' : `, recorded in ${sessionText(session)},`}`;
  return `${count} of ${total} exchanges of ${of} ${count === 1 ? 'was' : 'were'} never served:${list}`;
}

function unservedLine({ method, path, query, session, place, recordedAt, reason }: UnservedExchange): string {
  const request = `${method} ${path}${query === '' ? '' : `?${query}`}`;
  const which = place === undefined ? '' : ` (${place})`;
  const where = session === undefined ? '' : ` in ${sessionText(session)}`;
  const why = reason === undefined ? '' : '; its body was not kept: never served';
  return `${request}${which}, recorded ${recordedAt.slice(0, 10)}${where}${why}`;
}

/** `the session "adds a language"` @param name `""`: that of the requests that name none */
export function sessionText(name: string): string {
  return name === '' ? 'no session' : `the session ${JSON.stringify(name)}`;
}

/** `the fault "GET /x status=503" never happened: it fitted no request that passed the gate` */
export function neverHappenedText({ fault, matched, isBehindOthers, rate }: IdleFault): string {
  const others = isBehindOthers ? ', or only such as a fault before it happened to' : '';
  const why =
    matched === 0
      ? [`it fitted no request that passed the gate${others}`]
      : [
          `it fitted ${amount(matched, 'request')}`,
          ...(rate === undefined ? [] : [`at rate=${rate} it was never drawn`]),
        ];
  return `the fault "${fault}" never happened: ${why.join('; ')}`;
}
