import { belowMatcher } from '../contract/path.ts';
import { splitTarget } from '../http/http.ts';

/** Below it are Patchgate's own answers; nothing of it is forwarded. */
export const CONTROL_ROOT = '/__patchgate';

const COULD_MEAN_IT = /__patchgate|[%\x80-\uffff]/i;
const mayBeBelow = belowMatcher('__patchgate');

/** Whether the control API is to answer, or to refuse what a loose server could read so: another Patchgate may stand behind this one. */
export function isControlPath(url: string): boolean {
  return COULD_MEAN_IT.test(url) && mayBeBelow(splitTarget(url).path);
}
