import { readFileSync } from 'node:fs';
import { systemCode } from '../errors.ts';

/**
 * Whether a process of this machine still runs.
 *
 * @param start what `startOf` said of it: another process may have its pid by now
 */
export function isAlive(pid: number, start: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Of another user, it cannot be sent anything, but it is there.
    if (systemCode(error) === 'ESRCH') return false;
  }
  const now = statOf(pid);
  if (now === undefined) return true;
  // Ended, though its parent has not asked for it yet.
  if (now.state === 'Z' || now.state === 'X') return false;
  return start === undefined || now.start === start;
}

/** When a process began, in the system's own count: the boot and its ticks. Undefined where the system does not tell. */
export function startOf(pid: number): string | undefined {
  return statOf(pid)?.start;
}

/** From Linux's /proc (proc_pid_stat(5)). */
function statOf(pid: number): { state: string; start: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return { state: fields[0] as string, start: `${boot}:${fields[19]}` };
  } catch {
    return undefined;
  }
}
