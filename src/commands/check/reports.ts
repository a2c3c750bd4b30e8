/** Which reports are asked for, and where they go. */
import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import type { Severity } from '../../model/finding.ts';
import { nearest } from '../../model/nearest.ts';
import { github, githubSummary } from '../../reporters/github.ts';
import { json } from '../../reporters/json.ts';
import { junit } from '../../reporters/junit.ts';
import type { Report, Reporter } from '../../reporters/report.ts';
import { sarif } from '../../reporters/sarif.ts';
import { summaryLine, text } from '../../reporters/text.ts';
import { version } from '../../version.ts';
import { isColoured, standardOutput, writeFileWhole } from '../output.ts';

const REPORTERS: Readonly<Record<string, Reporter>> = { text, json, junit, sarif, github };
export const FORMATS = Object.keys(REPORTERS);

interface ReportOutput {
  format: string;
  /** Absent: standard output. */
  file?: string;
}

const HINT = 'as in: -f text -f junit=report.xml';

/**
 * @param given `json`, or `junit=report.xml`; none: text for standard output
 * @param inputs a report must not take the place of one
 * @throws PatchgateError `bad-usage`
 */
export function outputsOf(given: readonly string[], inputs: readonly string[]): ReportOutput[] {
  const outputs = given.length === 0 ? [outputOf('text')] : given.map(outputOf);
  const refuse = (message: string) => new PatchgateError('bad-usage', message, { hint: HINT });
  const [first, second] = outputs.filter(({ file }) => file === undefined);
  if (first && second) throw refuse(`${first.format} and ${second.format} both go to standard output`);
  const taken = new Set(inputs.map((input) => resolve(input)));
  for (const { file } of outputs) {
    if (file === undefined) continue;
    if (taken.has(resolve(file))) throw refuse(`${file} is judged, or given for two reports`);
    taken.add(resolve(file));
  }
  return outputs;
}

function outputOf(given: string): ReportOutput {
  const [, name = '', file] = /^([^=]*)(?:=(.*))?$/s.exec(given) ?? [];
  const format = FORMATS.find((known) => known === name);
  if (file === '') throw new PatchgateError('bad-usage', `-f ${given} needs a file`, { hint: HINT });
  if (format) return { format, ...(file !== undefined && file !== '-' && { file }) };
  const near = nearest(name, FORMATS);
  throw new PatchgateError('bad-usage', `invalid value ${JSON.stringify(name)} for --format`, {
    hint: near ? `did you mean ${near}?` : `formats: ${FORMATS.join(', ')}`,
  });
}

/** Writes the reports. If all go to files, standard error sums up. @throws PatchgateError `cannot-write` */
export async function writeReports(
  report: Report,
  outputs: readonly ReportOutput[],
  failOn: Severity,
): Promise<void> {
  const { env, stdout, stderr } = process;
  const cwd = process.cwd();
  const root = env.GITHUB_WORKSPACE || cwd;
  const options = { failOn, cwd, root, now: new Date(), version: version(), isColoured: false };
  const textAs = (format: string, coloured: boolean) =>
    REPORTERS[format]?.(report, { ...options, isColoured: coloured }) ?? '';
  for (const { format, file } of outputs)
    if (file !== undefined) await writeFileWhole(file, [textAs(format, false)]);
  const page = env.GITHUB_STEP_SUMMARY;
  if (page && outputs.some(({ format }) => format === 'github'))
    await appendFile(page, githubSummary(report, options));
  const shown = outputs.find(({ file }) => file === undefined);
  if (shown) await standardOutput().write(textAs(shown.format, isColoured(stdout, env)));
  else stderr.write(`${summaryLine(report)}; written to ${outputs.map(({ file }) => file).join(', ')}\n`);
}
