import type { CommandModule } from 'yargs';
import { judgingGate } from '../app/compose-gate.ts';
import { PatchgateError } from '../errors.ts';
import { resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { gateAgainst } from './check/compare-contracts.ts';
import { joinOutputs, outputsOf, REPORT_OPTIONS } from './check/outputs.ts';
import { runCheck } from './check/run-check.ts';
import { standardIo } from './check/standard-io.ts';
import { all, once } from './given.ts';
import { flagsOf, GUARDING, JUDGING, takesText, withSettings } from './options.ts';

/** As the builder has yargs read them. */
type Args = { inputs: string[] } & Partial<
  Record<'operation' | 'path' | 'writeBaseline' | 'againstContract' | 'format', string | string[]>
>;

export const check: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [
      ...JUDGING.filter((name) => name !== 'validation'),
      ...GUARDING,
      'state',
      'failOn',
      'baseline',
      'recordings',
    ])
      .positional('inputs', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Files, folders, globs, names of recordings, - for standard input',
      })
      .options({
        operation: takesText('Judge bodies as this operation'),
        path: takesText('Judge bodies as a PATCH of this path'),
        'write-baseline': {
          type: 'string',
          describe: 'Make all findings known: write the baseline, or --write-baseline=FILE',
        },
        'against-contract': takesText('Compare with this contract: only what it did not find counts'),
        ...REPORT_OPTIONS,
      })
      .example('$0 check recordings', 'what would the gate say to what was recorded?')
      .example('$0 check project.json --operation updateProject', 'a body of your own')
      .example('$0 check - --path /accounts/current/drafts/1001 < draft.json', 'with its id')
      .example('$0 check bodies -f text -f junit -o report.xml', 'for people, and for a CI system'),
  handler: async (argv) => {
    const resolved = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.check);
    const { config, origins } = resolved;
    const { inputs, format, ...given } = argv as unknown as Args;
    const againstContract = once('against-contract', given.againstContract);
    // yargs loses a lone - among the positionals, though it counts it.
    if (joinOutputs(process.argv.slice(2)).includes('-')) inputs.push('-');
    const args = {
      ...config,
      ...{ inputs, againstContract },
      operation: once('operation', given.operation),
      path: once('path', given.path),
      outputs: outputsOf(all(format), process.cwd()),
      ...whichBaseline({
        baseline: config.baseline,
        isFlag: origins.baseline === 'flag',
        writeBaseline: once('write-baseline', given.writeBaseline),
        againstContract,
      }),
      redaction: config,
      configFile: resolved.file?.file,
      // A proxy's says what the service holds today, which is not what it held before a recording was made.
      state: (origins.state === 'flag' && config.state) || undefined,
    };
    process.exitCode = await runCheck(args, standardIo(), async () => {
      const gate = await judgingGate(config);
      return againstContract === undefined ? gate : gateAgainst(gate, config, againstContract);
    });
  },
};

const DEFAULT_BASELINE = 'patchgate-baseline.json';

export interface BaselineWishes {
  /** The setting, and whether it was given as a flag. */
  baseline: string | undefined;
  isFlag: boolean;
  /** `--write-baseline`: the file, or `""` where the flag stands alone. */
  writeBaseline: string | undefined;
  /** The contract before says what is known then: no baseline is asked. */
  againstContract: string | undefined;
}

/** Which baseline is read, or written. @throws PatchgateError `bad-usage` where the wishes go ill together */
export function whichBaseline({ baseline, isFlag, writeBaseline, againstContract }: BaselineWishes): {
  baseline?: string;
  writeBaseline: boolean;
} {
  const writes = writeBaseline !== undefined;
  if (againstContract !== undefined && (writes || isFlag)) {
    throw new PatchgateError(
      'bad-usage',
      `--against-contract and ${writes ? '--write-baseline' : '--baseline'} cannot be given together`,
      { hint: 'what the contract before found is known already' },
    );
  }
  if (!writes) return { ...(baseline !== undefined && { baseline }), writeBaseline: false };
  if (writeBaseline !== '' && isFlag && writeBaseline !== baseline) {
    throw new PatchgateError(
      'bad-usage',
      `--baseline ${baseline} and --write-baseline=${writeBaseline} name two files`,
      { hint: 'name one of them: --write-baseline=FILE' },
    );
  }
  return { baseline: writeBaseline || (baseline ?? DEFAULT_BASELINE), writeBaseline: true };
}
