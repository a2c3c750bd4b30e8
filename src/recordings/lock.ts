import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { PatchgateError, systemCode } from '../errors.ts';
import { parseJson } from '../json/json.ts';
import { cannotWrite, ifThere, makeFolders, quietly, removeQuietly } from './disk.ts';

interface Holder {
  pid: number;
  /** Tells it from a later one of the same pid. */
  start?: string | undefined;
  host: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  id: string;
}

export type Lock = ReturnType<typeof takeLock>;

/** Takes the lock of what one process writes at a time. A process that finds a dead one's lock puts a claim beside it, named after the id
 *  of that lock. A claim is a lock itself: the first live process of this chain holds the lock.
 *  @param thing `the recording recordings/checkout` @param instead what else to do: `record under another name with --recording`
 *  @throws PatchgateError `recording-in-use` with who holds it, `cannot-write` */
export function takeLock(file: string, thing: string, instead: string) {
  const startedAt = new Date().toISOString();
  const id = randomBytes(6).toString('hex');
  const self: Holder = { pid: process.pid, start: startOf(process.pid), host: hostname(), startedAt, id };
  let claim = file;
  try {
    for (let at = file; ; ) {
      const holder = readHolder(at);
      if (holder?.id === self.id) break;
      if (holder && isAlive(holder)) throw inUse(holder, file, thing, instead);
      if (holder) at = `${file}.${holder.id}`;
      else {
        place(self, at);
        claim = at;
        // It looks again: the chain may lead elsewhere by now.
        at = file;
      }
    }
    if (claim !== file) fs.renameSync(claim, file);
    // What killed processes left, and those that come too late: these begin again.
    for (const name of fs.readdirSync(dirname(file)))
      if (name.startsWith(`${basename(file)}.`)) removeQuietly(join(dirname(file), name));
  } catch (error) {
    release(claim, self);
    if (error instanceof PatchgateError) throw error;
    throw cannotWrite(file, error, `make room or correct the permissions, or ${instead}`);
  }
  return { release: () => release(file, self) };
}

/** Somebody may have deleted it, and somebody else taken it. */
function release(lock: string, { id }: Holder): void {
  quietly(() => readHolder(lock)?.id === id && removeQuietly(lock));
}

function inUse({ pid, host, startedAt }: Holder, file: string, thing: string, instead: string) {
  const who = pid === process.pid ? 'this process' : `process ${pid}`;
  const where = host === hostname() ? '' : ` on the host ${host}`;
  const what = `${thing} is in use: ${who}${where} has it since ${startedAt}`;
  const hint = `stop it first, or ${instead}; if it is gone, delete ${file}`;
  return new PatchgateError('recording-in-use', what, { hint, details: { pid, host, startedAt } });
}

/** Puts a lock, whole, in a place, unless another is there by now. */
function place(lock: Holder, at: string): void {
  const own = `${at}.${lock.id}.tmp`;
  makeFolders(dirname(at));
  try {
    fs.writeFileSync(own, `${JSON.stringify(lock)}\n`);
    try {
      fs.linkSync(own, at);
    } catch {
      // FAT and some shared folders have no links.
      fs.copyFileSync(own, at, fs.constants.COPYFILE_EXCL);
    }
  } catch (error) {
    // Another was faster, or has tidied our file or the folder away.
    if (!['EEXIST', 'ENOENT'].includes(systemCode(error) as string)) throw error;
  } finally {
    removeQuietly(own);
  }
}

/** Undefined if there is none any more. @throws PatchgateError `recording-in-use`, `cannot-read` */
function readHolder(file: string): Holder | undefined {
  const text = ifThere(file, () => {
    // Reading a pipe would wait for ever, and a link to nowhere is there and not there.
    if (!fs.lstatSync(file).isFile()) throw new Error('it is no file');
    return fs.readFileSync(file, 'utf8');
  });
  if (text === undefined) return undefined;
  const holder = parseJson(text) as Partial<Holder> | null | undefined;
  if (Number.isInteger(holder?.pid) && Number(holder?.pid) > 0 && /^[0-9a-f]+$/.test(holder?.id ?? ''))
    return holder as Holder;
  const hint = 'delete it if no other Patchgate writes here';
  throw new PatchgateError('recording-in-use', `${file} does not say which process holds it`, { hint });
}

/** Nobody can say it of a process on another host. */
function isAlive({ pid, start, host }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user refuses the signal, but it is there.
    if (systemCode(error) === 'ESRCH') return false;
  }
  const now = startOf(pid);
  return now !== 'ended' && (now ?? start) === (start ?? now);
}

/** When a process began, in ticks since the boot; `ended` for a zombie. Linux only (proc_pid_stat(5)): the name in parentheses may hold anything. */
function startOf(pid: number): string | undefined {
  const stat = quietly(() => fs.readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? '';
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return /[ZX]/.test(fields[0] ?? '') ? 'ended' : fields[19];
}
