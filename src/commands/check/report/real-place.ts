import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Where reading or writing a file leads, through links; of what is not there yet, where it would be.
 *
 * @param file absolute
 */
export function realPlace(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    const folder = dirname(file);
    return folder === file ? file : join(realPlace(folder), basename(file));
  }
}
