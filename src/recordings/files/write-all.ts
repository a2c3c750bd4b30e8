import { writeSync } from 'node:fs';

/** Writes all bytes, where the file stands or at a position. @returns how many they are */
export function writeAll(fd: number, bytes: Buffer, position?: number): number {
  for (let done = 0; done < bytes.length; )
    done += writeSync(fd, bytes, done, bytes.length - done, position === undefined ? null : position + done);
  return bytes.length;
}
