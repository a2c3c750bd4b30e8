import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PatchgateError } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';

export const FORMATS = ['text', 'json', 'junit', 'sarif', 'github'] as const;
export type Format = (typeof FORMATS)[number];

/** The options for reports, as yargs takes them; `joinOutputs` joins them before it reads them. */
export const REPORT_OPTIONS = {
  format: {
    type: 'string',
    alias: 'f',
    requiresArg: true,
    defaultDescription: 'text',
    describe: `Of the report; several, each with its -o (${FORMATS.join(', ')})`,
  },
  output: {
    type: 'string',
    alias: 'o',
    requiresArg: true,
    describe: 'File for the report whose -f is before it',
  },
} as const;

/** A report in a format, for a file or for standard output. */
export interface ReportOutput {
  format: Format;
  /** Relative to the working directory; absent: standard output. */
  file?: string;
}

const STDOUT = '-';
const HINT = 'as in: -f text -f junit -o report.xml';

/**
 * Joins each `-o FILE` of `check` with the `-f NAME` before it, and one alone with the only one behind it: `--format=NAME=FILE`.
 * yargs loses which came after which, and what follows `--`.
 *
 * @param args as the program is given them; those of other commands stay as they are
 * @throws PatchgateError `bad-usage` where one has no value, or there is no report for a file
 */
export function joinOutputs(args: readonly string[]): string[] {
  if (!isReporting(args)) return [...args];
  const { tokens } = parseArgs({
    args: [...args],
    options: { format: { type: 'string', short: 'f' }, output: { type: 'string', short: 'o' } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const joined: (string | undefined)[] = [...args];
  /** Where the last format is that has no file yet; undefined after one that has. */
  let open: number | undefined;
  /** The file that came before all formats, and where. */
  let first: { file: string; at: number } | undefined;
  let given = 0;
  for (const token of tokens) {
    const { kind, index } = token;
    // Behind -- all are inputs, which yargs would leave out.
    if (kind === 'option-terminator')
      for (let at = index; at < args.length; at++)
        joined[at] = at === index ? undefined : (args[at] as string).replace(/^-(?=.)/, './-');
    if (kind !== 'option' || (token.name !== 'format' && token.name !== 'output')) continue;
    const { name, rawName, inlineValue } = token;
    const value = String(token.value ?? '').replace(rawName.startsWith('--') ? '' : /^=/, '');
    if (value === '' || (!inlineValue && /^-./.test(value))) throw noValue(args[index] as string, name);
    if (!inlineValue) joined[index + 1] = undefined;
    joined[index] = undefined;
    if (name === 'format') {
      joined[index] = `--format=${value}`;
      open = value.includes('=') ? undefined : index;
    } else if (open !== undefined) {
      joined[open] += `=${value}`;
      open = undefined;
    } else if (given === 0) {
      joined[index] = `--format=text=${value}`;
      first = { file: value, at: index };
    } else {
      throw new PatchgateError('bad-usage', `-o ${value} has no report: the one before it has a file`, {
        hint: `give a -f before each further -o, ${HINT}`,
      });
    }
    given++;
  }
  if (first && open !== undefined && given === 2) {
    joined[open] += `=${first.file}`;
    joined[first.at] = undefined;
  }
  return joined.filter((arg) => arg !== undefined);
}

/** Whether the command is one that reports: its word may come after options, and their values. */
function isReporting(args: readonly string[]): boolean {
  const at = args.indexOf('check');
  return at >= 0 && args.slice(0, at).every((arg, i) => arg.startsWith('-') || args[i - 1]?.startsWith('-'));
}

function noValue(arg: string, name: string): PatchgateError {
  const hint = name === 'format' ? `formats: ${FORMATS.join(', ')}` : 'give a file, or - for standard output';
  return new PatchgateError('bad-usage', `${arg} needs a value`, { hint });
}

/**
 * The reports that are asked for.
 *
 * @param given `json`, or `junit=report.xml`; none: text for standard output
 * @throws PatchgateError `bad-usage` where there is no such format, or two would go to the same place
 */
export function outputsOf(given: readonly string[], cwd: string): ReportOutput[] {
  const outputs = given.length === 0 ? [outputOf('text')] : given.map(outputOf);
  const [first, second] = outputs.filter(({ file }) => file === undefined);
  if (first && second) {
    throw new PatchgateError('bad-usage', `${first.format} and ${second.format} both go to standard output`, {
      hint: `give all but one of them a file, ${HINT}`,
    });
  }
  const seen = new Set<string>();
  for (const { file } of outputs) {
    if (file === undefined) continue;
    const path = realPlace(resolve(cwd, file));
    if (seen.has(path))
      throw new PatchgateError('bad-usage', `${file} is given for two reports`, { hint: HINT });
    seen.add(path);
  }
  return outputs;
}

function outputOf(given: string): ReportOutput {
  const [name = '', ...rest] = given.split('=');
  const format = FORMATS.find((known) => known === name);
  if (!format) {
    const near = nearest(name, FORMATS);
    throw new PatchgateError('bad-usage', `invalid value ${JSON.stringify(name)} for --format`, {
      hint: near ? `did you mean ${near}?` : `formats: ${FORMATS.join(', ')}`,
    });
  }
  const file = rest.join('=');
  if (rest.length > 0 && file === '') throw noValue(`-f ${given}`, 'output');
  return { format, ...(rest.length > 0 && file !== STDOUT && { file }) };
}

/**
 * @param inputs the files that are judged, and others that must stay as they are; of a folder, all that is in it
 * @throws PatchgateError `bad-usage` where a report would take the place of one
 */
export function checkOutputs(outputs: readonly ReportOutput[], inputs: readonly string[], cwd: string): void {
  const written = outputs.flatMap(({ file }) => file ?? []);
  if (written.length === 0) return;
  const places = new Set(inputs.map((input) => realPlace(resolve(cwd, input))));
  for (const file of written) {
    if (!withFolders(realPlace(resolve(cwd, file))).some((place) => places.has(place))) continue;
    const message = `${file} is read by this run, and would be written over by a report`;
    throw new PatchgateError('bad-usage', message, {
      hint: 'write reports outside of the folders that are judged',
    });
  }
}

/** A file, and the folders that it is in. */
function withFolders(file: string): string[] {
  const folder = dirname(file);
  return folder === file ? [file] : [file, ...withFolders(folder)];
}

/** Where reading or writing a file leads, through links; of what is not there yet, where it would be. @param file absolute */
export function realPlace(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    const folder = dirname(file);
    return folder === file ? file : join(realPlace(folder), basename(file));
  }
}
