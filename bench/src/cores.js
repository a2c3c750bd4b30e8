import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The two cores to use, `{ server, load }`, or undefined where processes cannot be pinned. */
export const cores = findCores();

function findCores() {
  if (process.platform !== 'linux' || spawnSync('taskset', ['-V']).status !== 0) return undefined;
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const [server, load] = list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  return load === undefined ? undefined : { server, load };
}

/** The command line that runs Node on one of the two cores: `['taskset', '-c', '0', 'node', …]`. */
export function nodeOn(place, args) {
  const command = [process.execPath, ...args];
  return cores ? ['taskset', '-c', String(cores[place]), ...command] : command;
}
