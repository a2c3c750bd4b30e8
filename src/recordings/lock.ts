import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { isAlive, startOf } from './process-life.ts';
import { makeFolders } from './store/folders.ts';

/** Who writes to a recording, as its lock file says. */
interface Holder {
  pid: number;
  host: string;
  /** When it took the lock: ISO 8601, UTC. */
  startedAt: string;
  /** When the process began, as its system counts: tells it from a later one of the same pid. Linux only. */
  processStart?: string | undefined;
  /** Of this lock alone. */
  id: string;
}

export interface Lock {
  release(): void;
}

/** What the messages say of that which is locked. */
export interface LockWords {
  /** What `root` is: `the recording` */
  thing: string;
  /** What its holder has been doing: `recording into it` */
  doing: string;
  /** What else to do: where this process is the holder, and where another is. */
  instead: { here: string; elsewhere: string };
  /** `choose another folder with --recordings` */
  place: string;
}

const RECORDING: LockWords = {
  thing: 'the recording',
  doing: 'recording into it',
  instead: { here: 'record into another recording', elsewhere: 'record under another name with --recording' },
  place: 'choose another folder with --recordings',
};

/** File systems without hard links: FAT, some shared folders. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * Takes the lock of what one process writes at a time. That of a process which is gone is taken over.
 *
 * @param root what is locked, for the message: the recording's folder
 * @param file the lock; its folder is made where it is missing
 * @throws PatchgateError `recording-in-use` with who holds it, `cannot-write`
 */
export function takeLock(root: string, file: string, words = RECORDING): Lock {
  const id = randomBytes(6).toString('hex');
  const own = `${file}.${id}.tmp`;
  const processStart = startOf(process.pid);
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    startedAt: new Date().toISOString(),
    ...(processStart !== undefined && { processStart }),
    id,
  };
  try {
    writeOwn(own, holder);
    take(file, own, holder, (at, by) => inUse(root, at, by, words));
    removeRemains(file);
  } catch (error) {
    if (error instanceof PatchgateError) throw error;
    throw new PatchgateError('cannot-write', `cannot take the lock ${file}: ${messageOf(error)}`, {
      hint: `make room or correct the permissions, or ${words.place}`,
      cause: error,
    });
  } finally {
    removeOwn(own);
  }
  return {
    release() {
      // Somebody may have deleted it, and somebody else taken it.
      if (idIn(file) === id) rmSync(file, { force: true });
    },
  };
}

/**
 * Of several processes that find the lock of a dead one, only that may replace it which holds the claim to it: a lock
 * itself, named after the dead one's. Whoever was killed with a claim in hand is replaced in the same way.
 */
function take(
  file: string,
  own: string,
  self: Holder,
  heldBy: (file: string, holder: Holder) => Error,
): void {
  while (!place(own, file, self)) {
    const holder = readHolder(file);
    if (holder === undefined) continue;
    if (holder.host !== self.host || isAlive(holder.pid, holder.processStart)) throw heldBy(file, holder);
    const claim = `${file}.${holder.id}`;
    take(claim, own, self, heldBy);
    // Without this look, it could be the lock of who was faster: a claim is gone once it was used.
    if (idIn(file) === holder.id && isMoved(claim, file)) return;
    rmSync(claim, { force: true });
  }
}

/** Puts a complete lock in its place, where there is none. @returns whether it stands there */
function place(own: string, file: string, self: Holder): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    const code = systemCode(error) as string;
    if (code === 'EEXIST') return false;
    if (code === 'ENOENT') {
      // Another process has just closed, and has tidied up.
      writeOwn(own, self);
      return false;
    }
    if (!NO_LINKS.includes(code)) throw error;
  }
  try {
    copyFileSync(own, file, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function isMoved(claim: string, file: string): boolean {
  try {
    renameSync(claim, file);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function writeOwn(own: string, self: Holder): void {
  makeFolders(dirname(own), false);
  const fd = openSync(own, 'w');
  try {
    writeSync(fd, `${JSON.stringify(self)}\n`);
    // An empty lock after a power failure would be nobody's.
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** What stays is removed by who takes the lock next. */
function removeOwn(own: string): void {
  try {
    rmSync(own, { force: true });
  } catch {
    // Where it could not be written, that is what is told.
  }
}

/** Undefined where there is none any more. */
function readHolder(file: string): Holder | undefined {
  const text = readLock(file);
  if (text === undefined) return undefined;
  try {
    const holder = JSON.parse(text) as Holder;
    if (Number.isInteger(holder.pid) && holder.pid > 0 && /^[0-9a-f]+$/.test(holder.id)) return holder;
  } catch {
    // Told below.
  }
  throw new PatchgateError('recording-in-use', `${file} does not say which process holds it`, {
    hint: 'delete it if no other Patchgate writes here',
  });
}

function readLock(file: string): string | undefined {
  try {
    // Reading a pipe would wait for ever, and a link that leads nowhere would be there and not there.
    if (!lstatSync(file).isFile()) throw new Error('it is no file');
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function idIn(file: string): string | undefined {
  try {
    return readHolder(file)?.id;
  } catch {
    return undefined;
  }
}

/** What killed processes left beside the lock that is ours now. */
function removeRemains(file: string): void {
  const start = `${basename(file)}.`;
  for (const name of readdirSync(dirname(file))) {
    if (!name.startsWith(start)) continue;
    const other = join(dirname(file), name);
    try {
      const holder = readHolder(other);
      if (holder && isAlive(holder.pid, holder.processStart)) continue;
    } catch {
      // Begun only. Whoever is still at it writes it again.
    }
    rmSync(other, { force: true });
  }
}

function inUse(root: string, file: string, holder: Holder, words: LockWords): PatchgateError {
  const { pid, host, startedAt } = holder;
  const { thing, doing, instead } = words;
  const isHere = host === hostname();
  const who =
    isHere && pid === process.pid
      ? 'this process'
      : isHere
        ? `process ${pid}`
        : `process ${pid} on the host ${host}`;
  const hint =
    who === 'this process'
      ? `close it first, or ${instead.here}`
      : isHere
        ? `stop it first, or ${instead.elsewhere}; if ${pid} is no Patchgate, delete ${file}`
        : `stop it there, or ${instead.elsewhere}; if it is gone, delete ${file}`;
  return new PatchgateError(
    'recording-in-use',
    `${thing} ${root} is in use: ${who} has been ${doing} since ${startedAt}`,
    { hint, details: { pid, host, startedAt } },
  );
}
