import type { CommandModule } from 'yargs';
import { judgingGate } from '../app/gate.ts';
import { nearest } from '../model/nearest.ts';
import { redactionOf } from '../recordings/redact/redaction.ts';
import { type CheckedFile, exitCodeOf, type Remark, summaryOf } from '../reporters/report.ts';
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
import { argumentBehind, flagsOf, GUARDING, takesText, withSettings } from './options.ts';

export const check: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, ['contract', 'guard', ...GUARDING, 'failOn', 'recordings'])
      .positional('inputs', {
        type: 'string',
        array: true,
        describe: 'Files, folders, globs, names of recordings, - for standard input',
      })
      .options({
        operation: takesText('Judge bodies as this operation; else by their file names or shapes'),
        path: takesText('Judge bodies as a PATCH of this path'),
        format: takesText(`Of the report, or FORMAT=FILE, repeatable: ${FORMATS.join(', ')}`, {
          alias: 'f',
          defaultDescription: 'text',
        }),
      })
      .example('$0 check recordings', 'what would the gate say to what was recorded?')
      .example('$0 check bodies -f text -f junit=report.xml', 'for people, and for a CI system'),
  handler: async (argv) => {
    const words = ['on', 'strict', 'off', 'true', 'false'];
    const first = argumentBehind(argv, (text) => nearest(text, words) === undefined);
    const { config, file } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.check);
    const { '--': behind = [], inputs = [] } = argv as { '--'?: string[]; inputs?: string[] };
    const given = withStdin([...first, ...inputs, ...behind]);
    const outputs = outputsOf(all(argv.format as string[] | undefined), given);
    const judgedAs = { operation: once(argv, 'operation'), path: once(argv, 'path') };
    const own = [file?.file, ...outputs.map((output) => output.file)];
    const names = await findInputs(given, config.recordings, own);
    const gate = await judgingGate(config);
    checkTarget(gate, judgedAs);
    const redaction = redactionOf(config);
    const judged: CheckedFile[] = [];
    for (const name of names)
      judged.push(await judgeFile(gate, await readInput(name, gate.bodyLimit), judgedAs, redaction));
    const files = hideSecrets(judged, redaction);
    const report = { files, rules: gate.rules, remarks: remarksOn(files) };
    await writeReports(report, outputs, config.failOn);
    process.exitCode = exitCodeOf(report, config.failOn);
  },
};

/** A guess may be wrong, and nothing judged is green for ever. */
function remarksOn(files: readonly CheckedFile[]): Remark[] {
  const guesses = [...new Set(files.flatMap(({ taken }) => taken ?? []))].map((taken): Remark => {
    const names = files.filter((file) => file.taken === taken).map(({ file }) => file);
    return { severity: 'note', message: `judged as ${taken}: ${names.join(', ')}` };
  });
  const skips = files.flatMap(({ file, skipped: [first, ...others] = [] }): Remark | [] => {
    if (!first) return [];
    const more = others.length > 0 ? `, and ${amount(others.length, 'more request')} of this file` : '';
    return { severity: 'warn', message: `${file}: ${first.pointer} was not judged: ${first.why}${more}` };
  });
  const { judged, unjudged, skipped } = summaryOf({ files });
  const message = `nothing was judged: of ${amount(unjudged, 'request')} none is for an operation of the contract`;
  const nothing: Remark[] = judged + skipped > 0 ? [] : [{ severity: 'warn', message }];
  return [...guesses, ...skips, ...nothing];
}
