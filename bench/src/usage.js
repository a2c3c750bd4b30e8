import { readFileSync } from 'node:fs';

/** Of the kernel's clock that /proc speaks in: 100 ticks a second on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/**
 * What a process has used so far: CPU seconds (user and system, all threads) and its peak resident memory in bytes.
 * Undefined where there is no /proc.
 */
export function usageOf(pid) {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in brackets and may hold blanks: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    peakBytes: peak ? Number(peak[1]) * 1024 : undefined,
  };
}
