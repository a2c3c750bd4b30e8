/** Before all tests of a run: a folder for what the tests write. */
import { accessSync, constants, mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setUp(): () => void {
  // In memory, where that has room: the tests make and remove thousands of files.
  const folder = mkdtempSync(
    join(hasRoom('/dev/shm') ? '/dev/shm' : realpathSync(tmpdir()), 'patchgate-tests-'),
  );
  // Where os.tmpdir() leads, in the tests' processes as well.
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Whether it can be written to, and has more than a container gives by default. */
function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 1024 ** 3;
  } catch {
    return false;
  }
}
