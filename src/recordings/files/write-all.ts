import { writeSync } from 'node:fs';

/** Writes all bytes where the file stands. @returns how many they are */
export function writeAll(fd: number, bytes: Buffer): number {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  return bytes.length;
}
