import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { gateOf } from '../../app/compose-gate.ts';
import { messageOf, PatchgateError } from '../../errors.ts';
import { recordingNames } from '../../recordings/find-recording.ts';
import { readRuns } from '../../recordings/runs.ts';
import { checkBodies, readExchanges } from '../../recordings/store/exchange-file.ts';
import { waitingIn } from '../../recordings/store/open-store.ts';
import { printable } from '../../server/printable.ts';
import { resolveConfig } from '../../settings/config.ts';
import { flagsOf, withSettings } from '../options.ts';
import { type Output, standardOutput } from '../output.ts';
import { ageText, sizeText, table } from './units.ts';
import { changedAt, sizeOf, walk } from './walk.ts';

export const list: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, ['recordings', 'contract', 'basePath'])
      .option('format', {
        choices: ['text', 'json'] as const,
        default: 'text' as const,
        describe: 'Of the list',
      })
      .example('$0 recordings list', 'all below recordings/')
      .example('$0 recordings list --format json', 'for a program'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { format } = argv as unknown as { format: 'text' | 'json' };
    const gate = await gateOf({ ...config, guard: 'off' }, { lazy: true });
    const operationOf = (method: string, path: string) =>
      gate.match({ method, url: path, headers: [] })?.operation;
    process.exitCode = await runList(
      { folder: config.recordings, format, now: Date.now(), operationOf },
      standardOutput(),
    );
  },
};

export interface ListArgs {
  /** That of all recordings. */
  folder: string;
  format: 'text' | 'json';
  /** Milliseconds since the epoch. */
  now: number;
  /** The operation of the contract that a method and path name. */
  operationOf(method: string, path: string): string | undefined;
}

/**
 * Writes one line for each recording.
 *
 * @returns the exit code: 2 where something could not be read, 0 otherwise
 */
export async function runList(
  { folder, format, now, operationOf }: ListArgs,
  output: Output,
): Promise<0 | 2> {
  const summaries: Summary[] = [];
  for (const name of await recordingNames(folder))
    summaries.push(await summarize(join(folder, name), name, operationOf));
  await output.write(format === 'json' ? jsonOf(summaries) : textOf(summaries, folder, now));
  return summaries.some(({ trouble }) => trouble.length > 0) ? 2 : 0;
}

function jsonOf(summaries: readonly Summary[]): string {
  const recordings = summaries.map(({ oldest, newest, ...rest }) => ({
    ...rest,
    ...(oldest !== undefined && { oldest: new Date(oldest).toISOString() }),
    ...(newest !== undefined && { newest: new Date(newest).toISOString() }),
  }));
  return `${JSON.stringify({ recordings }, null, 2)}\n`;
}

const HEADS = [
  'recording',
  'exchanges',
  'paths',
  'operations',
  'size',
  'oldest',
  'newest',
  'unused',
  'waiting',
];
const NUMBERS = [1, 2, 4, 7, 8];

function textOf(summaries: readonly Summary[], folder: string, now: number): string {
  if (summaries.length === 0) return `no recordings in ${printable(folder)}\n`;
  const rows = summaries.map(
    ({ name, exchanges, paths, operations, size, oldest, newest, unused, waiting }) => [
      printable(name),
      String(exchanges),
      String(paths),
      printable(operationsText(operations)),
      sizeText(size),
      dayText(oldest, now),
      dayText(newest, now),
      unused === undefined ? '-' : String(unused),
      waiting === 0 ? '-' : String(waiting),
    ],
  );
  const [head, ...lines] = table([HEADS, ...rows], NUMBERS);
  const all = lines.flatMap((line, i) => [
    line,
    ...(summaries[i] as Summary).trouble.map((what) => `  cannot read ${printable(what)}`),
  ]);
  return `${[head, ...all].join('\n')}\n`;
}

/** `updateProject 12, GET 3` */
function operationsText(operations: Readonly<Record<string, number>>): string {
  const all = Object.entries(operations).map(([operation, count]) => `${operation} ${count}`);
  return all.length === 0 ? '-' : all.join(', ');
}

/** `2026-11-20 (3d)` */
function dayText(time: number | undefined, now: number): string {
  return time === undefined ? '-' : `${new Date(time).toISOString().slice(0, 10)} (${ageText(time, now)})`;
}

/** What there is to say of a recording in one line. */
interface Summary {
  name: string;
  exchanges: number;
  /** Different ones. */
  paths: number;
  /** How many exchanges are of which operation, or of which method where the contract has no operation; by name. */
  operations: Record<string, number>;
  /** Bytes of all files, those of the tool included. */
  size: number;
  /** Of `recordedAt`, in milliseconds since the epoch; absent where there is no exchange. */
  oldest?: number;
  newest?: number;
  /** Never served in the runs since it changed; absent where nothing is known of one. */
  unused?: number;
  /** In the journal, not in their files yet. */
  waiting: number;
  /** What cannot be read, by name, line and column. */
  trouble: string[];
}

/** Troubles of one recording that are told. */
const MOST_TROUBLES = 20;

/**
 * Reads a recording, one file at a time. What is broken is told in the summary, and all else is counted.
 *
 * @throws PatchgateError `cannot-read` where a folder cannot be listed
 */
async function summarize(
  root: string,
  name: string,
  operationOf: (method: string, path: string) => string | undefined,
): Promise<Summary> {
  const summary: Summary = { name, exchanges: 0, paths: 0, operations: {}, size: 0, waiting: 0, trouble: [] };
  const runs = await readRuns(root, changedAt(root));
  let unused = 0;
  const operations = new Map<string, number>();
  let lastPath: string | undefined;
  let troubles = 0;
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof PatchgateError)) throw error;
      if (++troubles <= MOST_TROUBLES) summary.trouble.push(messageOf(error));
    }
  };
  for (const found of walk(root)) {
    summary.size += sizeOf(found.file);
    if (found.kind !== 'exchanges') continue;
    attempt(() => {
      const exchanges = readExchanges(found.file, found.place) ?? [];
      const request = exchanges[0]?.request;
      if (!request) return;
      summary.exchanges += exchanges.length;
      const operation = operationOf(request.method, request.path) ?? request.method;
      operations.set(operation, (operations.get(operation) ?? 0) + exchanges.length);
      // Those of one path stand in one folder.
      if (request.path !== lastPath) summary.paths++;
      lastPath = request.path;
      for (const { meta } of exchanges) {
        const time = Date.parse(meta.recordedAt);
        summary.oldest = Math.min(summary.oldest ?? time, time);
        summary.newest = Math.max(summary.newest ?? time, time);
      }
      if (runs) unused += exchanges.filter(runs.isUnused).length;
      checkBodies(found.file, exchanges);
    });
  }
  attempt(() => {
    summary.waiting = waitingIn(root).length;
  });
  if (troubles > MOST_TROUBLES) summary.trouble.push(`and ${troubles - MOST_TROUBLES} more`);
  summary.operations = Object.fromEntries([...operations].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...summary, ...(runs && !runs.isCut && { unused }) };
}
