import type { CommandModule } from 'yargs';
import { PatchgateError } from '../errors.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { joinOutputs, outputsOf, REPORT_OPTIONS } from './check/outputs.ts';
import { once } from './given.ts';
import { flagsOf, GUARDING, JUDGING, withSettings } from './options.ts';

/** As the builder has yargs read them. */
interface Args {
  inputs: string[];
  operation?: string | string[] | undefined;
  path?: string | string[] | undefined;
  writeBaseline?: string | string[] | undefined;
  againstContract?: string | string[] | undefined;
  format?: string | string[] | undefined;
}

export const check: CommandModule = {
  command: 'check <inputs..>',
  describe: 'Judges bodies, requests, recordings and HTTP archives: 0 clean, 1 findings, 2 could not judge',
  builder: (yargs) =>
    withSettings(yargs, [
      ...JUDGING.filter((name) => name !== 'validation'),
      ...GUARDING,
      'learn',
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
        operation: { type: 'string', requiresArg: true, describe: 'Judge bodies as this operation' },
        path: { type: 'string', requiresArg: true, describe: 'Judge bodies as a PATCH of this path' },
        'write-baseline': {
          type: 'string',
          describe: 'Make all findings known: write the baseline, or --write-baseline=FILE',
        },
        'against-contract': {
          type: 'string',
          requiresArg: true,
          describe: 'Compare with this contract: only what it did not find counts',
        },
        ...REPORT_OPTIONS,
      })
      .example('$0 check recordings', 'what would the gate say to what was recorded?')
      .example('$0 check project.json --operation updateProject', 'a body of your own')
      .example('$0 check - --path /accounts/current/drafts/1001 < draft.json', 'with its id')
      .example('$0 check bodies -f text -f junit -o report.xml', 'for people, and for a CI system'),
  handler: async (argv) => {
    const [{ resolveConfig }, { runCheck }, { standardIo }, { initialStateOf, checkGate }] =
      await Promise.all([
        import('../settings/config.ts'),
        import('./check/run-check.ts'),
        import('./check/standard-io.ts'),
        import('./check/check-gate.ts'),
      ]);
    const resolved = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.check);
    const { config, origins } = resolved;
    const { inputs, format, ...given } = argv as unknown as Args;
    const operation = once('operation', given.operation);
    const path = once('path', given.path);
    const againstContract = once('against-contract', given.againstContract);
    // yargs loses a lone - among the positionals, though it counts it.
    if (joinOutputs(process.argv.slice(2)).includes('-')) inputs.push('-');
    process.exitCode = await runCheck(
      {
        inputs,
        operation,
        path,
        bodies: config.bodies,
        recordings: config.recordings,
        outputs: outputsOf([format ?? []].flat(), process.cwd()),
        failOn: config.failOn,
        ...whichBaseline({
          baseline: config.baseline,
          isFlag: origins.baseline === 'flag',
          writeBaseline: once('write-baseline', given.writeBaseline),
          againstContract,
        }),
        againstContract,
        redaction: config,
        suppressions: config.suppressions,
        configFile: resolved.file?.file,
        ...initialStateOf(resolved),
      },
      standardIo(),
      () => checkGate(resolved, againstContract),
    );
  },
};

const DEFAULT_BASELINE = 'patchgate-baseline.json';

export interface BaselineWishes {
  /** The setting, and whether it was given as a flag. */
  baseline: string | undefined;
  isFlag: boolean;
  /** `--write-baseline`: the file, or `""` where the flag stands alone. */
  writeBaseline: string | undefined;
  /** `--against-contract`. The contract before says what is known then, so no baseline is asked, though it is none to judge. */
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
