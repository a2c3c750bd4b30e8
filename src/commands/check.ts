import type { CommandModule } from 'yargs';
import { judgingGate } from '../app/compose-gate.ts';
import { redactionOf } from '../recordings/redact/redaction.ts';
import { type CheckedFile, fails, placeOf, type Remark, summaryOf } from '../reporters/report.ts';
import { amount } from '../reporters/wording.ts';
import { resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { findInputs, readInput } from './check/inputs.ts';
import { judgeFile } from './check/judge.ts';
import { checkTarget } from './check/operation.ts';
import { hideSecrets } from './check/places.ts';
import { FORMATS, outputsOf, writeReports } from './check/reports.ts';
import { all, once } from './given.ts';
import { withStdin } from './input.ts';
import { flagsOf, GUARDING, JUDGING, takesText, withSettings } from './options.ts';

/** As the builder has yargs read them. */
type Args = { '--'?: string[]; inputs?: string[] } & Partial<
  Record<'operation' | 'path' | 'format', string | string[]>
>;

export const check: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [
      ...JUDGING.filter((name) => name !== 'validation'),
      ...GUARDING,
      'failOn',
      'recordings',
    ])
      .positional('inputs', {
        type: 'string',
        array: true,
        describe: 'Files, folders, globs, names of recordings, - for standard input',
      })
      .options({
        operation: takesText('Judge bodies as this operation; else by their file names or shapes'),
        path: takesText('Judge bodies as a PATCH of this path'),
        format: takesText(
          `Of the report, or NAME=FILE to write one; repeat it for more (${FORMATS.join(', ')})`,
          { alias: 'f', defaultDescription: 'text' },
        ),
      })
      .example('$0 check recordings', 'what would the gate say to what was recorded?')
      .example('$0 check bodies -f text -f junit=report.xml', 'for people, and for a CI system'),
  handler: async (argv) => {
    const { config, file } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.check);
    const { '--': behind = [], inputs = [], format, ...as } = argv as unknown as Args;
    const given = withStdin([...inputs, ...behind]);
    const outputs = outputsOf(all(format), given);
    const judgedAs = { operation: once('operation', as.operation), path: once('path', as.path) };
    const own = [file?.file, ...outputs.map((output) => output.file)];
    const { files, remarks } = await findInputs(given, config.recordings, own);
    const gate = await judgingGate(config);
    checkTarget(gate, judgedAs);
    const judged: CheckedFile[] = [];
    for (const name of files)
      judged.push(await judgeFile(gate, await readInput(name, gate.bodyLimit), judgedAs));
    const shown = hideSecrets(judged, redactionOf(config));
    const report = { files: shown, rules: gate.rules, remarks: [...remarks, ...remarksOn(shown)] };
    await writeReports(report, outputs, config.failOn);
    process.exitCode = fails(report, config.failOn) ? 1 : 0;
  },
};

/** A guess may be wrong, and nothing judged is green for ever. */
function remarksOn(files: readonly CheckedFile[]): Remark[] {
  const guesses = new Map<string, string[]>();
  for (const { file, taken } of files)
    if (taken !== undefined) guesses.set(taken, [...(guesses.get(taken) ?? []), file]);
  const remarks = [...guesses].map(([taken, names]): Remark => {
    const more = names.length > 5 ? `, and ${names.length - 5} more` : '';
    return { severity: 'note', message: `judged as ${taken}: ${names.slice(0, 5).join(', ')}${more}` };
  });
  for (const { file, skipped: [first, ...others] = [] } of files) {
    if (!first) continue;
    const more = others.length > 0 ? `, and ${amount(others.length, 'more request')} of this file` : '';
    const request = `${first.method} ${first.path} (${first.pointer})`;
    const message = `${placeOf(file, first)}: ${request} was not judged: ${first.why}${more}`;
    remarks.push({ severity: 'warn', message });
  }
  const { judged, unjudged, skipped } = summaryOf({ files });
  if (judged + skipped > 0) return remarks;
  const why =
    unjudged === 0
      ? 'there are no requests'
      : `none of ${amount(unjudged, 'request')} is for an operation of the contract`;
  return [
    ...remarks,
    { severity: 'warn', message: `nothing was judged: ${why}`, hint: 'check the paths and methods' },
  ];
}
