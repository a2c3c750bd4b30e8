/** Which reports are asked for, and where they go. */
import { appendFile } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import type { Severity } from '../../model/finding.ts';
import { nearest } from '../../model/nearest.ts';
import type { Report, Reporter } from '../../reporters/report.ts';
import { version } from '../../version.ts';
import { isColoured, standardOutput, writeFileWhole } from '../output.ts';

/** Loaded when they are asked for. */
const REPORTERS = {
  text: async () => (await import('../../reporters/text.ts')).text,
  json: async () => (await import('../../reporters/json.ts')).json,
  junit: async () => (await import('../../reporters/junit.ts')).junit,
  sarif: async () => (await import('../../reporters/sarif.ts')).sarif,
  github: async () => (await import('../../reporters/github.ts')).github,
} satisfies Record<string, () => Promise<Reporter>>;

type Format = keyof typeof REPORTERS;
export const FORMATS = Object.keys(REPORTERS) as Format[];

interface ReportOutput {
  format: Format;
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
  const options = { failOn, cwd, root: repositoryRoot(cwd, env), now: new Date(), version: version() };
  const textAs = async (format: Format, coloured: boolean) => {
    const reporter: Reporter = await REPORTERS[format]();
    return reporter(report, { ...options, isColoured: coloured });
  };
  for (const { format, file } of outputs)
    if (file !== undefined) await writeFileWhole(file, [await textAs(format, false)]);
  const page = env.GITHUB_STEP_SUMMARY;
  if (page && outputs.some(({ format }) => format === 'github')) {
    const { githubSummary } = await import('../../reporters/github.ts');
    await appendFile(page, githubSummary(report, options));
  }
  const shown = outputs.find(({ file }) => file === undefined);
  const { summaryLine } = await import('../../reporters/text.ts');
  if (shown) await standardOutput().write(await textAs(shown.format, isColoured(stdout, env)));
  else stderr.write(`${summaryLine(report)}; written to ${outputs.map(({ file }) => file).join(', ')}\n`);
}

/** What files in reports are relative to: the repository, where GitHub names it; else the working directory. */
function repositoryRoot(cwd: string, env: NodeJS.ProcessEnv): string {
  const root = env.GITHUB_WORKSPACE ?? '';
  const path = relative(root, cwd);
  return isAbsolute(root) && !isAbsolute(path) && !/^\.\.(?:[/\\]|$)/.test(path) ? root : cwd;
}
