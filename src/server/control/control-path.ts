import { looseReadings } from '../../contract/path-readings.ts';
import { splitTarget } from '../../http/http.ts';

/** Below it are Patchgate's own answers; nothing of it is forwarded. */
export const CONTROL_ROOT = '/__patchgate';

const LITERAL = /^\/__patchgate(?:[/?]|$)/;
const BELOW_ROOT = /^\/__patchgate(?:\/|$)/i;
const COULD_MEAN_IT = /__patchgate|%/i;
const COULD_BE_ROOT = /__patchgate/i;

/**
 * Whether a request's target is the control API's, or could be read so by a loose server: that is the control API's to
 * refuse, too, since another Patchgate may stand behind this one.
 */
export function isControlPath(url: string): boolean {
  if (!COULD_MEAN_IT.test(url)) return false;
  const { path } = splitTarget(url);
  if (LITERAL.test(path)) return true;
  for (const reading of looseReadings(path, (text) => COULD_BE_ROOT.test(text)) ?? [])
    if (BELOW_ROOT.test(reading)) return true;
  return false;
}
