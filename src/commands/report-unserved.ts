import { unservedText } from '../reporters/run-text.ts';
import type { Unserved } from '../upstreams/replay/unserved.ts';

/**
 * Says which exchanges of a recording a run never served.
 *
 * @param say takes a text of one or more lines
 * @returns whether there are any
 */
export function reportUnserved(unserved: Unserved, say: (text: string) => void): boolean {
  const { recording, total, count } = unserved;
  if (count === 0) {
    say(`every exchange of "${recording}" was served (${total})`);
    return false;
  }
  say(unservedText(unserved));
  return true;
}
