import type { CommandModule } from 'yargs';
import { PatchgateError } from '../../errors.ts';
import { visible } from '../../reporters/wording.ts';
import { RECORDINGS, withSettings } from '../options.ts';
import { inOrder, type Recordings, withRecording, withRecordings } from './recordings.ts';
import { table } from './table.ts';

export const list: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, RECORDINGS)
      .example('$0 recordings list', 'all below recordings/')
      .example('$0 recordings list --recordings fixtures', 'those of another folder'),
  handler: (argv) =>
    withRecordings(argv, async (recordings) => {
      const names = await recordings.names();
      if (names.length === 0) return `no recordings in ${visible(recordings.where)}\n`;
      const rows = await Promise.all(names.map((name) => rowOf(recordings, name)));
      const columns = ['recording', 'exchanges', 'methods', 'oldest', 'newest'];
      return `${table([columns, ...rows]).join('\n')}\n`;
    }),
};

/** What cannot be read is named by file, line and column. */
async function rowOf(recordings: Recordings, name: string): Promise<string[]> {
  try {
    const all = await withRecording(recordings, name, 'read', inOrder);
    const counts = new Map<string, number>();
    for (const { request } of all) counts.set(request.method, (counts.get(request.method) ?? 0) + 1);
    const methods = [...counts].sort().map(([method, count]) => `${method} ${count}`);
    const days = all.map(({ meta }) => meta.recordedAt.slice(0, 10)).sort();
    const cells = [methods.join(', ') || '-', days[0] ?? '-', days.at(-1) ?? '-'];
    return [name, String(all.length), ...cells].map(visible);
  } catch (error) {
    if (!(error instanceof PatchgateError)) throw error;
    process.exitCode = error.exitCode;
    return [visible(name), '?', visible(error.message)];
  }
}
