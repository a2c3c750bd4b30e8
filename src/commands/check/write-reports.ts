import { appendFile, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { messageOf, PatchgateError } from '../../errors.ts';
import type { Severity } from '../../model/finding.ts';
import type { Report, Reporter } from '../../reporters/report.ts';
import { version } from '../../version.ts';
import { writeFileWhole } from '../output.ts';
import type { Format, ReportOutput } from './outputs.ts';

/** Loaded when they are asked for. */
const REPORTERS: Readonly<Record<Format, () => Promise<Reporter>>> = {
  text: async () => (await import('../../reporters/text.ts')).text,
  json: async () => (await import('../../reporters/json.ts')).json,
  junit: async () => (await import('../../reporters/junit.ts')).junit,
  sarif: async () => (await import('../../reporters/sarif.ts')).sarif,
  github: async () => (await import('../../reporters/github.ts')).github,
};

export interface ReportIo {
  /** Takes text of a report. It, or its promise, is false where the reader is gone (`| head`). */
  stdout(text: string): unknown;
  /** Takes what people should see beside the reports. */
  stderr?(text: string): void;
  /** Standard output is a terminal that shows colours. */
  readonly isColoured?: boolean;
  readonly cwd: string;
  /** Where it runs: `GITHUB_WORKSPACE`, `GITHUB_STEP_SUMMARY`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Absent: the time. */
  readonly now?: Date;
}

/**
 * Writes each report, those into files first: what a person reads comes last. Where all go to files, the summary is for standard
 * error.
 *
 * @throws PatchgateError `cannot-write`, naming the file
 */
export async function writeReports(
  report: Report,
  outputs: readonly ReportOutput[],
  io: ReportIo,
  failOn: Severity,
): Promise<void> {
  const { cwd, env = {}, now = new Date(), isColoured = false } = io;
  const root = repositoryRoot(cwd, env);
  const options = { failOn, cwd, root, now, version: version(), isColoured: false };
  const files: string[] = [];
  for (const { format, file } of outputs) {
    if (file === undefined) continue;
    const reporter = await REPORTERS[format]();
    await orSay(`the report ${file}`, writeToFile(resolve(cwd, file), reporter(report, options)));
    files.push(file);
  }
  if (env.GITHUB_STEP_SUMMARY && outputs.some(({ format }) => format === 'github')) {
    const { githubSummary } = await import('../../reporters/github.ts');
    const file = env.GITHUB_STEP_SUMMARY;
    await orSay(`GITHUB_STEP_SUMMARY, ${file}`, appendFile(file, githubSummary(report, options)));
  }
  const shown = outputs.find(({ file }) => file === undefined);
  if (shown) {
    const reporter = await REPORTERS[shown.format]();
    await io.stdout(reporter(report, { ...options, isColoured }));
  } else if (io.stderr) {
    const { summaryLine } = await import('../../reporters/text.ts');
    io.stderr(`${summaryLine(report)}; written to ${files.join(', ')}\n`);
  }
}

async function orSay(what: string, writing: Promise<void>): Promise<void> {
  await writing.catch((error: unknown) => {
    if (error instanceof PatchgateError) throw error;
    throw new PatchgateError('cannot-write', `cannot write ${what}: ${messageOf(error)}`, { cause: error });
  });
}

async function writeToFile(file: string, text: string): Promise<void> {
  const there = await stat(file).catch(() => undefined);
  // A device, a pipe, or what is open already (`-o /dev/stderr`): nothing may take its place.
  const isStream = /^\/dev\/(?!shm\/)/.test(file) || (there && !there.isFile() && !there.isDirectory());
  await (isStream ? writeFile(file, text, { flag: 'a' }) : writeFileWhole(file, [text]));
}

/**
 * The folder that the files in a report for a CI system are relative to: that of the repository, where GitHub names it and the
 * working directory is in it; else the working directory.
 */
export function repositoryRoot(cwd: string, env: Readonly<Record<string, string | undefined>>): string {
  const root = env.GITHUB_WORKSPACE ?? '';
  return isAbsolute(root) && isWithin(root, cwd) ? root : cwd;
}

function isWithin(root: string, folder: string): boolean {
  const path = relative(root, folder);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
