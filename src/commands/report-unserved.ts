import { PatchgateError } from '../errors.ts';
import type { Unserved, UnservedExchange } from '../upstreams/replay/unserved.ts';

/**
 * Says which exchanges of a recording a run never served.
 *
 * @param say takes a text of one or more lines
 * @returns whether there are any
 * @throws PatchgateError `bad-usage`: more was served than a run keeps track of
 */
export function reportUnserved(unserved: Unserved, say: (text: string) => void): boolean {
  const { recording, total, count, exchanges } = unserved;
  if (count === 0) {
    say(`every exchange of "${recording}" was served (${total})`);
    return false;
  }
  if (unserved.isCut) {
    throw new PatchgateError(
      'bad-usage',
      `too many exchanges of "${recording}" were served to tell which ones were not`,
      { hint: 'split the recording into smaller ones, or leave out --fail-unused' },
    );
  }
  const lines = exchanges.map(lineOf);
  if (count > exchanges.length) lines.push(`and ${count - exchanges.length} more`);
  const were = count === 1 ? 'was' : 'were';
  say(
    `${count} of ${total} exchanges of "${recording}" ${were} never served:${lines.map((line) => `\n  ${line}`).join('')}`,
  );
  return true;
}

const REASONS: Readonly<Record<NonNullable<UnservedExchange['reason']>, string>> = {
  failure: 'a failure: only served with --replay-failures',
  omitted: 'its body was not kept: never served',
  stale: 'stale: never served with --on-stale refuse',
};

function lineOf({ method, path, query, place, recordedAt, reason }: UnservedExchange): string {
  const what = `${method} ${path}${query === '' ? '' : `?${query}`}`;
  const which = place === undefined ? '' : ` (${place})`;
  const why = reason === undefined ? '' : `; ${REASONS[reason]}`;
  return `${what}${which}, recorded ${recordedAt.slice(0, 10)}${why}`;
}
