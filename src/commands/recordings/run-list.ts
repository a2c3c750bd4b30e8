import { join } from 'node:path';
import { recordingNames } from '../../recordings/find-recording.ts';
import { printable } from '../../server/printable.ts';
import type { Output } from '../output.ts';
import { type Summary, summarize } from './summarize.ts';
import { table } from './table.ts';
import { ageText, sizeText } from './units.ts';

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
