import { randomBytes } from 'node:crypto';
import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { makeFolders } from './folders.ts';
import { removeQuietly } from './write-file.ts';

/** Who writes, as the lock file says. */
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
  const self: Holder = {
    pid: process.pid,
    host: hostname(),
    startedAt: new Date().toISOString(),
    processStart: statOf(process.pid)?.start,
    id: randomBytes(6).toString('hex'),
  };
  const own = `${file}.${self.id}.tmp`;

  function writeOwn(): void {
    makeFolders(dirname(own), false);
    // An empty lock after a power failure would say nothing.
    writeFileSync(own, `${JSON.stringify(self)}\n`, { flush: true });
  }

  /** Puts a complete lock in a place where there is none. @returns whether it stands there */
  function place(at: string): boolean {
    try {
      linkOrCopy(own, at);
      return true;
    } catch (error) {
      const code = systemCode(error);
      // Another process has just closed, and has tidied up.
      if (code === 'ENOENT') writeOwn();
      else if (code !== 'EEXIST') throw error;
      return false;
    }
  }

  /**
   * Of several processes that find the lock of a dead one, only that may replace it which holds the claim to it: a lock
   * itself, named after the dead one's. A process that was killed with a claim in hand is replaced in the same way.
   */
  function take(at: string): void {
    while (!place(at)) {
      const holder = readHolder(at);
      if (holder === undefined) continue;
      if (holder.host !== self.host || isAlive(holder)) throw inUse(root, at, holder, words);
      const claim = `${at}.${holder.id}`;
      take(claim);
      // Without this look, it could be the lock of who was faster: a claim is gone once it was used.
      if (idIn(at) === holder.id && isMoved(claim, at)) return;
      rmSync(claim, { force: true });
    }
  }

  try {
    writeOwn();
    take(file);
    removeRemains(file);
  } catch (error) {
    if (error instanceof PatchgateError) throw error;
    throw new PatchgateError('cannot-write', `cannot take the lock ${file}: ${messageOf(error)}`, {
      hint: `make room or correct the permissions, or ${words.place}`,
      cause: error,
    });
  } finally {
    removeQuietly(own);
  }
  return {
    release() {
      // Somebody may have deleted it, and somebody else taken it.
      // One that stays is of a process that is gone.
      if (idIn(file) === self.id) removeQuietly(file);
    },
  };
}

function linkOrCopy(own: string, file: string): void {
  try {
    linkSync(own, file);
  } catch (error) {
    if (!NO_LINKS.includes(systemCode(error) as string)) throw error;
    copyFileSync(own, file, constants.COPYFILE_EXCL);
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

/** Undefined where there is none any more. */
function readHolder(file: string): Holder | undefined {
  let text: string;
  try {
    // Reading a pipe would wait for ever, and a link that leads nowhere would be there and not there.
    if (!lstatSync(file).isFile()) throw new Error('it is no file');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
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
      if (holder && isAlive(holder)) continue;
    } catch {
      // Begun only. The process that is still at it writes it again.
    }
    rmSync(other, { force: true });
  }
}

function inUse(root: string, file: string, holder: Holder, words: LockWords): PatchgateError {
  const { pid, host, startedAt } = holder;
  const { thing, doing, instead } = words;
  let who = `process ${pid}`;
  let hint = `stop it first, or ${instead.elsewhere}; if ${pid} is no Patchgate, delete ${file}`;
  if (host !== hostname()) {
    who += ` on the host ${host}`;
    hint = `stop it there, or ${instead.elsewhere}; if it is gone, delete ${file}`;
  } else if (pid === process.pid) {
    who = 'this process';
    hint = `close it first, or ${instead.here}`;
  }
  return new PatchgateError(
    'recording-in-use',
    `${thing} ${root} is in use: ${who} has been ${doing} since ${startedAt}`,
    { hint, details: { pid, host, startedAt } },
  );
}

/** Whether the process still runs: another may have its pid by now. */
function isAlive({ pid, processStart }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // That of another user cannot be sent anything, but it is there.
    if (systemCode(error) === 'ESRCH') return false;
  }
  const now = statOf(pid);
  if (now === undefined) return true;
  // Ended, though its parent has not asked for it yet.
  if (now.state === 'Z' || now.state === 'X') return false;
  return processStart === undefined || now.start === processStart;
}

/** A process's state, and when it began: the boot and its ticks. From Linux's /proc (proc_pid_stat(5)). */
function statOf(pid: number): { state: string | undefined; start: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return { state: fields[0], start: `${boot}:${fields[19]}` };
  } catch {
    return undefined;
  }
}
