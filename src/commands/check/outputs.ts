import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';

export const FORMATS = ['text', 'json', 'junit', 'sarif', 'github'] as const;
export type Format = (typeof FORMATS)[number];

/** The option for reports, as yargs takes it. */
export const REPORT_OPTIONS = {
  format: {
    type: 'string',
    alias: 'f',
    requiresArg: true,
    defaultDescription: 'text',
    describe: `Of the report, or NAME=FILE to write one; repeat it for more (${FORMATS.join(', ')})`,
  },
} as const;

/** A report in a format, for a file or for standard output. */
export interface ReportOutput {
  format: Format;
  /** Relative to the working directory; absent: standard output. */
  file?: string;
}

const STDOUT = '-';
const HINT = 'as in: -f text -f junit=report.xml';

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
  if (rest.length > 0 && file === '')
    throw new PatchgateError('bad-usage', `-f ${given} needs a file`, { hint: HINT });
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
