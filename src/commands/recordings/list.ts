import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { gateOf } from '../../app/compose-gate.ts';
import { withDatabase } from '../../app/open-database.ts';
import { messageOf, PatchgateError } from '../../errors.ts';
import type { Database } from '../../postgres/database.ts';
import type { StoredPath } from '../../postgres/stored-paths.ts';
import { recordingNames } from '../../recordings/find-recording.ts';
import { readRuns } from '../../recordings/runs.ts';
import { checkBodies, readExchanges } from '../../recordings/store/exchange-file.ts';
import { changedAt, sizeOf, walk } from '../../recordings/store/folder-tree.ts';
import { waitingIn } from '../../recordings/store/open-store.ts';
import { printable } from '../../server/printable.ts';
import { resolveConfig } from '../../settings/config.ts';
import { flagsOf, formatOf, RECORDINGS, withSettings } from '../options.ts';
import { type Output, standardOutput } from '../output.ts';
import { ageText, sizeText, table } from './units.ts';

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
    process.exitCode = await withDatabase(config, (database) =>
      runList({ ...args, database }, standardOutput()),
    );
  },
};

interface ListArgs {
  /** That of all recordings. */
  folder: string;
  /** Where they are in the place of that. */
  database?: Database | undefined;
  format: 'text' | 'json';
  /** Milliseconds since the epoch. */
  now: number;
  /** The operation of the contract that a method and path name. */
  operationOf(method: string, path: string): string | undefined;
}

/** Writes one line for each recording. @returns the exit code: 2 where something could not be read, 0 otherwise */
export async function runList(args: ListArgs, output: Output): Promise<0 | 2> {
  const { folder, database, format, now, operationOf } = args;
  const json = (recordings: readonly Counted[]) => `${JSON.stringify({ recordings }, null, 2)}\n`;
  if (database) {
    const { pathsIn, shownPlace } = await import('../../postgres/stored-paths.ts');
    const counted = countedIn(await pathsIn(database), operationOf);
    await output.write(format === 'json' ? json(counted) : countsText(counted, shownPlace(database)));
    return 0;
  }
  const summaries: Summary[] = [];
  for (const name of await recordingNames(folder))
    summaries.push(await summarize(join(folder, name), name, operationOf));
  await output.write(format === 'json' ? json(summaries) : textOf(summaries, folder, now));
  return summaries.some(({ trouble }) => trouble.length > 0) ? 2 : 0;
}

/** What the database knows of recordings without a look at their exchanges. */
function countedIn(paths: readonly StoredPath[], operationOf: ListArgs['operationOf']): Counted[] {
  return [...new Set(paths.map(({ recording }) => recording))].map((name) => {
    const own = paths.filter(({ recording }) => recording === name);
    const operations = new Map<string, number>();
    for (const { method, path, exchanges } of own)
      addTo(operations, operationOf(method, path) ?? method, exchanges);
    return {
      name,
      exchanges: own.reduce((sum, { exchanges }) => sum + exchanges, 0),
      paths: new Set(own.map(({ path }) => path)).size,
      operations: sorted(operations),
    };
  });
}

function addTo(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function sorted(counts: ReadonlyMap<string, number>): Counted['operations'] {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const COUNTS = ['recording', 'exchanges', 'paths', 'operations'];
const COLUMNS = [...COUNTS, 'size', 'oldest', 'newest', 'unused', 'waiting'];
const NUMBERS = [1, 2, 4, 7, 8];

function countsText(counted: readonly Counted[], where: string): string {
  if (counted.length === 0) return `no recordings in ${printable(where)}\n`;
  return table([COUNTS, ...counted.map(countsOf)], NUMBERS)
    .map((line) => `${line}\n`)
    .join('');
}

function countsOf({ name, exchanges, paths, operations }: Counted): string[] {
  const counts = Object.entries(operations).map(([operation, count]) => `${operation} ${count}`);
  return [printable(name), String(exchanges), String(paths), printable(counts.join(', ') || '-')];
}

function textOf(summaries: readonly Summary[], folder: string, now: number): string {
  if (summaries.length === 0) return `no recordings in ${printable(folder)}\n`;
  const rows = summaries.map((summary) => {
    return [
      ...countsOf(summary),
      sizeText(summary.size),
      dayText(summary.oldest, now),
      dayText(summary.newest, now),
      String(summary.unused ?? '-'),
      String(summary.waiting || '-'),
    ];
  });
  const [head, ...lines] = table([COLUMNS, ...rows], NUMBERS);
  const all = lines.flatMap((line, i) => [
    line,
    ...(summaries[i] as Summary).trouble.map((what) => `  cannot read ${printable(what)}`),
  ]);
  return `${[head, ...all].join('\n')}\n`;
}

/** `2026-11-20 (3d)` */
function dayText(time: string | undefined, now: number): string {
  return time === undefined ? '-' : `${time.slice(0, 10)} (${ageText(Date.parse(time), now)})`;
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
  /** Never served in the runs since it changed; absent where no run is known. */
  unused?: number;
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
  const runs = await readRuns(root, changedAt(root));
  const paths = new Set<string>();
  const operations = new Map<string, number>();
  const trouble: string[] = [];
  let [exchanges, size, unused, waiting] = [0, 0, 0, 0];
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
      exchanges += all.length;
      const operation = operationOf(request.method, request.path) ?? request.method;
      addTo(operations, operation, all.length);
      paths.add(request.path);
      for (const { meta } of all) {
        const time = Date.parse(meta.recordedAt);
        oldest = Math.min(oldest, time);
        newest = Math.max(newest, time);
      }
      if (runs) unused += all.filter(runs.isUnused).length;
      checkBodies(file, all);
    });
  }
  attempt(() => {
    waiting = waitingIn(root).length;
  });
  if (trouble.length > MOST_TROUBLES)
    trouble.splice(MOST_TROUBLES, trouble.length, `and ${trouble.length - MOST_TROUBLES} more`);
  return {
    ...{ name, exchanges, paths: paths.size },
    operations: sorted(operations),
    ...{ size, waiting, trouble },
    ...(runs && !runs.isCut && { unused }),
    ...(exchanges > 0 && {
      oldest: new Date(oldest).toISOString(),
      newest: new Date(newest).toISOString(),
    }),
  };
}
