/** What a run against a recording tells people at its end. */
import { shortened } from '../model/short-text.ts';
import { amount, countText, grouped } from '../reporters/wording.ts';
import type { Missed, MissedRequest } from '../upstreams/replay/misses.ts';
import type { Unserved } from '../upstreams/replay/unserved.ts';

/** Reasons that are shown, and characters of each. */
const [MOST_REASONS, MOST_CHARACTERS] = [20, 2000];

/** Which requests of a run had no answer, each reason once with what to do about it; undefined if there is none. */
export function missesText(missed?: Missed, hintOf = (hint: string) => hint): string | undefined {
  if (!missed?.count) return undefined;
  const { count, misses } = missed;
  const byText = new Map<string, MissedRequest>();
  for (const miss of misses)
    byText.set(miss.text, { ...miss, count: miss.count + (byText.get(miss.text)?.count ?? 0) });
  const shown = [...byText.values()].slice(0, MOST_REASONS);
  const lines = shown.flatMap(({ text, hint, count: times }, index) => {
    const line = `  ${shortened(text, MOST_CHARACTERS)}${countText(times, 'times')}`;
    // Most often it is the same for all.
    return shown[index + 1]?.hint === hint ? [line] : [line, `    ${hintOf(hint)}`];
  });
  const more = count - shown.reduce((sum, miss) => sum + miss.count, 0);
  if (more > 0) lines.push(`  and ${grouped(more)} more`);
  return [`${amount(count, 'request')} had no answer in the recording:`, ...lines].join('\n');
}

/** How many exchanges a run never served, and which they are, each in a line. */
export function unservedText(unserved: Unserved, isListed = true): string {
  const { recording, session, total, count, exchanges } = unserved;
  const of = `"${recording}"${inSession(session)}`;
  if (count === 0) return `every exchange of ${of} was served (${total})`;
  if (!isListed)
    return `${amount(count, 'exchange')} not served (of ${total} in ${of}; --fail-unused lists them)`;
  const lines = exchanges.map(({ method, path, query, recordedAt, session: own }) => {
    return `\n  ${method} ${path}${query && `?${query}`}, recorded ${recordedAt.slice(0, 10)}${inSession(own)}`;
  });
  if (count > lines.length) lines.push(`\n  and ${count - lines.length} more`);
  return `${count} of ${total} exchanges of ${of} ${count === 1 ? 'was' : 'were'} never served:${lines.join('')}`;
}

function inSession(name: string | undefined): string {
  return name ? ` in the session ${JSON.stringify(name)}` : '';
}
