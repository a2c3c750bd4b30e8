import { readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';

/** One file of a journal. */
export interface Segment {
  /** Position in the journal where it begins, which is also its name. */
  base: number;
  size: number;
  /** Open for reading, by somebody who must be able to when it is removed. */
  fd?: number;
}

/** In the order of names the files stand in the order of their lines. */
export function segmentName(base: number): string {
  return `${String(base).padStart(16, '0')}.journal`;
}

/** Undefined where it is the name of something else. */
export function segmentBase(name: string): number | undefined {
  const digits = /^(\d{16})\.journal$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Where the files in a journal's folder begin, oldest first. @throws PatchgateError `cannot-read` */
export function segmentsIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .map(segmentBase)
      .filter((base) => base !== undefined)
      .sort((a, b) => a - b);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw new PatchgateError('cannot-read', `cannot read ${folder}: ${messageOf(error)}`, { cause: error });
  }
}

/** Removes a file of a journal, and with the last one the folder. @throws PatchgateError `cannot-write` */
export function removeSegment(folder: string, base: number): void {
  const file = join(folder, segmentName(base));
  try {
    unlinkSync(file);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') {
      throw new PatchgateError('cannot-write', `cannot remove ${file}: ${messageOf(error)}`, {
        hint: 'correct the permissions of its folder',
        cause: error,
      });
    }
  }
  try {
    rmdirSync(folder);
  } catch {
    // Others are in it; and an empty folder that stays harms nobody.
  }
}
