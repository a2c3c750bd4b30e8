import type { CommandModule } from 'yargs';
import { PatchgateError } from '../../errors.ts';
import { visible } from '../../reporters/wording.ts';
import { resolveConfig } from '../../settings/config.ts';
import { flagsOf, formatOf, RECORDINGS, withSettings } from '../options.ts';
import { standardOutput } from '../output.ts';
import { type Recordings, withRecording, withRecordings } from './recordings.ts';
import { table } from './units.ts';

export const list: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, RECORDINGS)
      .option('format', formatOf('Of the list', 'text', 'json'))
      .example('$0 recordings list', 'all below recordings/')
      .example('$0 recordings list --format json', 'for a program'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const all = await withRecordings(config, async (recordings) => {
      const names = await recordings.names();
      return {
        where: recordings.where,
        rows: await Promise.all(names.map((name) => summary(recordings, name))),
      };
    });
    const json = () => `${JSON.stringify({ recordings: all.rows }, null, 2)}\n`;
    await standardOutput().write(argv.format === 'json' ? json() : textOf(all.where, all.rows));
    if (all.rows.some(({ trouble }) => trouble)) process.exitCode = 2;
  },
};

interface Summary {
  name: string;
  exchanges: number;
  paths: number;
  /** How many exchanges of each method. */
  methods: Record<string, number>;
  /** ISO 8601; absent where there is no exchange. */
  oldest?: string | undefined;
  newest?: string | undefined;
  /** What cannot be read, by file, line and column. */
  trouble?: string;
}

async function summary(recordings: Recordings, name: string): Promise<Summary> {
  const methods: Record<string, number> = {};
  const times: string[] = [];
  const troubles: string[] = [];
  const paths = new Set<string>();
  const count = async () =>
    withRecording(recordings, name, 'read', async (recording) => {
      for (const place of recording.places()) {
        const exchanges = await recording.read(place).catch((error) => void told(error));
        if (!exchanges) continue;
        paths.add(place.path);
        methods[place.method] = (methods[place.method] ?? 0) + exchanges.length;
        times.push(...exchanges.map(({ meta }) => meta.recordedAt));
      }
    });
  const told = (error: unknown) => {
    if (!(error instanceof PatchgateError)) throw error;
    troubles.push(error.message);
  };
  await count().catch(told);
  times.sort();
  return {
    ...{
      name,
      exchanges: times.length,
      paths: paths.size,
      methods: Object.fromEntries(Object.entries(methods).sort()),
    },
    ...{ oldest: times[0], newest: times.at(-1) },
    ...(troubles.length > 0 && { trouble: troubles.join('; ') }),
  };
}

function textOf(where: string, all: readonly Summary[]): string {
  if (all.length === 0) return `no recordings in ${visible(where)}\n`;
  const rows = all.map(({ name, exchanges, paths, methods, oldest, newest }) => [
    ...[visible(name), String(exchanges), String(paths)],
    Object.entries(methods)
      .map(([method, count]) => `${method} ${count}`)
      .join(', ') || '-',
    ...[oldest?.slice(0, 10) ?? '-', newest?.slice(0, 10) ?? '-'],
  ]);
  const [head, ...lines] = table(
    [['recording', 'exchanges', 'paths', 'methods', 'oldest', 'newest'], ...rows],
    [1, 2],
  );
  const told = lines.flatMap((line, i) => [
    line,
    ...(all[i]?.trouble ? [`  cannot read ${visible(all[i].trouble)}`] : []),
  ]);
  return `${[head, ...told].join('\n')}\n`;
}
