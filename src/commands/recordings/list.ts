import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { gateOf } from '../../app/compose-gate.ts';
import { withDatabase } from '../../app/open-database.ts';
import { messageOf, PatchgateError } from '../../errors.ts';
import { type Place, readExchanges } from '../../recordings/files.ts';
import { recordingNames } from '../../recordings/find-recording.ts';
import { sizeOf, walk } from '../../recordings/store/folder-tree.ts';
import { waitingIn } from '../../recordings/store.ts';
import { printable } from '../../server/printable.ts';
import { resolveConfig } from '../../settings/config.ts';
import { flagsOf, formatOf, RECORDINGS, withSettings } from '../options.ts';
import { type Output, standardOutput } from '../output.ts';
import { ageSince, sizeText, table } from './units.ts';
import { workOnFiles } from './work-on-files.ts';

export const list: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [...RECORDINGS, 'contract', 'basePath'])
      .option('format', formatOf('Of the list', 'text', 'json'))
      .example('$0 recordings list', 'all below recordings/')
      .example('$0 recordings list --format json', 'for a program'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { format } = argv as unknown as { format: 'text' | 'json' };
    const gate = await gateOf({ ...config, guard: 'off' }, { lazy: true });
    const operationOf = (method: string, path: string) =>
      gate.match({ method, url: path, headers: [] })?.operation;
    const args = { folder: config.recordings, format, now: Date.now(), operationOf };
    process.exitCode = await withDatabase(config, async (database) => {
      if (!database) return runList(args, standardOutput());
      const { recordingsIn } = await import('../../postgres/frames.ts');
      const names = await recordingsIn(database);
      return workOnFiles(database, names, config, (folder) =>
        runList({ ...args, folder, where: database.name }, standardOutput()),
      );
    });
  },
};

interface ListArgs {
  /** That of all recordings. */
  folder: string;
  /** For people; default: the folder. */
  where?: string;
  format: 'text' | 'json';
  /** Milliseconds since the epoch. */
  now: number;
  /** The operation of the contract that a method and path name. */
  operationOf(method: string, path: string): string | undefined;
}

/** Writes one line for each recording. @returns the exit code: 2 where something could not be read, 0 otherwise */
export async function runList(args: ListArgs, output: Output): Promise<0 | 2> {
  const { folder, where = folder, format, now, operationOf } = args;
  const all: Summary[] = [];
  for (const name of await recordingNames(folder))
    all.push(await summarize(join(folder, name), name, operationOf));
  const json = () => `${JSON.stringify({ recordings: all }, null, 2)}\n`;
  await output.write(format === 'json' ? json() : textOf(all, where, now));
  return all.some(({ trouble }) => trouble.length > 0) ? 2 : 0;
}

interface CountedPath extends Place {
  exchanges: number;
}

/** What is known of a recording without a look at its exchanges. */
function countedOf(
  name: string,
  paths: readonly CountedPath[],
  operationOf: ListArgs['operationOf'],
): Counted {
  const operations = new Map<string, number>();
  for (const { method, path, exchanges } of paths) {
    const operation = operationOf(method, path) ?? method;
    operations.set(operation, (operations.get(operation) ?? 0) + exchanges);
  }
  return {
    name,
    exchanges: paths.reduce((sum, { exchanges }) => sum + exchanges, 0),
    paths: new Set(paths.map(({ path }) => path)).size,
    operations: Object.fromEntries([...operations].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

const COLUMNS = [
  ...['recording', 'exchanges', 'paths', 'operations'],
  ...['size', 'oldest', 'newest', 'waiting'],
];
const NUMBERS = [1, 2, 4, 7];

function textOf(all: readonly Summary[], where: string, now: number): string {
  const rows = all.map((one) => rowOf(one, now));
  if (!rows[0]) return `no recordings in ${printable(where)}\n`;
  const [head, ...lines] = table([COLUMNS, ...rows], NUMBERS);
  const told = lines.flatMap((line, i) => {
    const { trouble } = all[i] as Summary;
    return [line, ...trouble.map((what) => `  cannot read ${printable(what)}`)];
  });
  return `${[head, ...told].join('\n')}\n`;
}

function rowOf(one: Summary, now: number): string[] {
  const counts = Object.entries(one.operations).map(([operation, count]) => `${operation} ${count}`);
  return [
    ...[printable(one.name), String(one.exchanges), String(one.paths), printable(counts.join(', ') || '-')],
    ...[sizeText(one.size), dayText(one.oldest, now), dayText(one.newest, now), String(one.waiting || '-')],
  ];
}

/** `2026-11-20 (3d)` */
function dayText(time: string | undefined, now: number): string {
  return time === undefined ? '-' : `${time.slice(0, 10)} (${ageSince(Date.parse(time), now)})`;
}

/** How much a recording holds. */
interface Counted {
  name: string;
  exchanges: number;
  /** Different ones. */
  paths: number;
  /** How many exchanges are of which operation, or of which method where the contract has no operation; by name. */
  operations: Record<string, number>;
}

/** What there is to say of a recording of files in one line. */
interface Summary extends Counted {
  /** Bytes of all files, those of the tool included. */
  size: number;
  /** In the journal, not in their files yet. */
  waiting: number;
  /** What cannot be read, by name, line and column. */
  trouble: string[];
  /** ISO 8601, UTC; absent where there is no exchange. */
  oldest?: string;
  newest?: string;
}

/** Troubles of one recording that are told. */
const MOST_TROUBLES = 20;

/**
 * Reads a recording, one file at a time. What is broken is told in the summary, and all else is counted.
 *
 * @throws PatchgateError `cannot-read` where a folder cannot be listed
 */
async function summarize(root: string, name: string, operationOf: ListArgs['operationOf']): Promise<Summary> {
  const paths: CountedPath[] = [];
  const trouble: string[] = [];
  let [size, waiting] = [0, 0];
  let [oldest, newest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof PatchgateError)) throw error;
      trouble.push(messageOf(error));
    }
  };
  for (const { kind, file, place } of walk(root)) {
    size += sizeOf(file);
    if (kind !== 'exchanges') continue;
    attempt(() => {
      const all = readExchanges(file, place) ?? [];
      const request = all[0]?.request;
      if (!request) return;
      // Without its body: there may be many paths.
      paths.push({ method: request.method, path: request.path, exchanges: all.length });
      for (const { meta } of all) {
        const time = Date.parse(meta.recordedAt);
        oldest = Math.min(oldest, time);
        newest = Math.max(newest, time);
      }
    });
  }
  attempt(() => {
    waiting = waitingIn(root).length;
  });
  if (trouble.length > MOST_TROUBLES)
    trouble.splice(MOST_TROUBLES, trouble.length, `and ${trouble.length - MOST_TROUBLES} more`);
  return {
    ...countedOf(name, paths, operationOf),
    ...{ size, waiting, trouble },
    ...(paths.length > 0 && {
      oldest: new Date(oldest).toISOString(),
      newest: new Date(newest).toISOString(),
    }),
  };
}
