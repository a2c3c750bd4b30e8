import { belowMatcher } from '../contract/loose-path.ts';
import { splitTarget } from '../http/http.ts';

/** Below it are Patchgate's own answers; nothing of it is forwarded. */
export const CONTROL_ROOT = '/__patchgate';

const COULD_MEAN_IT = /__patchgate|[%\x80-\uffff]/i;
const mayBeBelow = belowMatcher('__patchgate');

/**
 * Whether a request's target is the control API's, or could be read so by a loose server: that is the control API's to
 * refuse, too, since another Patchgate may stand behind this one.
 */
export function isControlPath(url: string): boolean {
  return COULD_MEAN_IT.test(url) && mayBeBelow(splitTarget(url).path);
}
