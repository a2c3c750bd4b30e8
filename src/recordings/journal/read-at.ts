import { readSync } from 'node:fs';

/** The bytes at a position of a file; fewer where it ends before. */
export function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(fd, bytes, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
