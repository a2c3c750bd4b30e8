/** What a run against a recording tells people at its end. */
import { join } from 'node:path';
import { amount, grouped, shortened } from '../reporters/wording.ts';
import type { Config } from '../settings/config.ts';
import type { Missed, MissedRequest } from '../upstreams/replay/misses.ts';
import type { Unserved } from '../upstreams/replay/unserved.ts';

/** Reasons that are shown, and characters of each. */
const MOST_REASONS = 20;
const MOST_CHARACTERS = 2000;

/** Where a run has recorded: `recordings/checkout`. */
export function recordedAt({
  store,
  recordings,
  recording,
}: Pick<Config, 'store' | 'recordings' | 'recording'>) {
  return store === undefined ? join(recordings, recording) : `"${recording}" of the database`;
}

/** Which requests of a run had no answer, each reason once with what to do about it; undefined if there is none. */
export function missesText({ count, misses }: Missed): string | undefined {
  if (count === 0) return undefined;
  const byText = new Map<string, MissedRequest>();
  for (const miss of misses)
    byText.set(miss.text, { ...miss, count: miss.count + (byText.get(miss.text)?.count ?? 0) });
  const shown = [...byText.values()].slice(0, MOST_REASONS);
  const lines = shown.flatMap(({ text, hint, count: times }, index) => {
    const line = `  ${shortened(text, MOST_CHARACTERS)}${times > 1 ? ` (${grouped(times)} times)` : ''}`;
    // Most often it is the same for all.
    return shown[index + 1]?.hint === hint ? [line] : [line, `    ${hint}`];
  });
  const more = count - shown.reduce((sum, miss) => sum + miss.count, 0);
  if (more > 0) lines.push(`  and ${grouped(more)} more`);
  return [`${amount(count, 'request')} had no answer in the recording:`, ...lines].join('\n');
}

/** How many exchanges a run never served, in one line. @param how to list them */
export function unservedCount({ recording, total, count }: Unserved, how = ''): string {
  return `${amount(count, 'exchange')} not served (of ${total} in "${recording}"${how})`;
}

/** Which exchanges a run never served, each in a line. */
export function unservedText({ recording, session, total, count, exchanges }: Unserved): string {
  if (count === 0) return `every exchange of "${recording}" was served (${total})`;
  const lines = exchanges.map((one) => {
    const where = one.session === undefined ? '' : ` in ${sessionText(one.session)}`;
    const request = `${one.method} ${one.path}${one.query === '' ? '' : `?${one.query}`}`;
    return `\n  ${request}, recorded ${one.recordedAt.slice(0, 10)}${where}`;
  });
  if (count > lines.length) lines.push(`\n  and ${count - lines.length} more`);
  const of = `"${recording}"${session === undefined ? '' : `, recorded in ${sessionText(session)},`}`;
  return `${count} of ${total} exchanges of ${of} ${count === 1 ? 'was' : 'were'} never served:${lines.join('')}`;
}

/** @param name `""`: that of the requests that name none */
function sessionText(name: string): string {
  return name === '' ? 'no session' : `the session ${JSON.stringify(name)}`;
}
