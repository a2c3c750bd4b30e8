import { PatchgateError } from '../errors.ts';
import { unservedText } from '../reporters/unserved-text.ts';
import type { Unserved } from '../upstreams/replay/unserved.ts';

/**
 * Says which exchanges of a recording a run never served.
 *
 * @param say takes a text of one or more lines
 * @returns whether there are any
 * @throws PatchgateError `bad-usage`: more was served than a run keeps track of
 */
export function reportUnserved(unserved: Unserved, say: (text: string) => void): boolean {
  const { recording, total, count } = unserved;
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
  say(unservedText(unserved));
  return true;
}
