import { isNothing, looseForms, mayBeWord } from '../../contract/loose-path.ts';
import { splitTarget } from '../../http/http.ts';

/** Below it are Patchgate's own answers; nothing of it is forwarded. */
export const CONTROL_ROOT = '/__patchgate';

const LITERAL = /^\/__patchgate(?:[/?]|$)/;
const COULD_MEAN_IT = /__patchgate|[%\x80-\uffff]/i;

/**
 * Whether a request's target is the control API's, or could be read so by a loose server: that is the control API's to
 * refuse, too, since another Patchgate may stand behind this one.
 */
export function isControlPath(url: string): boolean {
  if (!COULD_MEAN_IT.test(url)) return false;
  const { path } = splitTarget(url);
  if (LITERAL.test(path)) return true;
  return looseForms(path).some(({ segments, hasDots }) => {
    const named = segments.filter(({ text }) => !isNothing(text));
    return (hasDots ? named : named.slice(0, 1)).some(({ text }) => mayBeWord(text, '__patchgate'));
  });
}
