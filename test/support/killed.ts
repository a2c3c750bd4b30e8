import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** None that any system gives out. */
export const NO_PID = 2 ** 31 - 2;

/** Makes a copy of a folder of recordings one that a killed process has left: its locks are those of a process that is gone. */
export function leaveAsKilled(copy: string): void {
  for (const name of readdirSync(copy, { recursive: true, encoding: 'utf8' })) {
    if (!/\.patchgate[/\\]lock[^/\\]*$/.test(name)) continue;
    const file = join(copy, name);
    const text = readFileSync(file, 'utf8');
    // One that was only begun stays so.
    if (text.endsWith('\n')) writeFileSync(file, JSON.stringify({ ...JSON.parse(text), pid: NO_PID }));
  }
}
