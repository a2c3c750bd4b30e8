import type { CommandModule } from 'yargs';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { outputsOf, REPORT_OPTIONS } from './check/outputs.ts';
import { all, headersOf } from './given.ts';
import { flagsOf, GUARDING, JUDGING, MATCHING, REDACTION, VERIFYING, withSettings } from './options.ts';
import { selectionOf, withSelection } from './recordings/selection.ts';

/** As the builder has yargs read them; what is given twice is a list. */
interface Args {
  header?: string | string[];
  unsafe: boolean;
  update: boolean;
  format?: string | string[];
}

export const verify: CommandModule = {
  command: 'verify',
  describe: 'Sends recorded requests again and reports how the live answers differ: 0 clean, 1 drift',
  builder: (yargs) =>
    withSelection(
      withSettings(yargs, [
        'recording',
        'recordings',
        'target',
        'timeout',
        'targetCa',
        'targetInsecure',
        ...JUDGING.filter((name) => name !== 'validation'),
        ...GUARDING,
        'learn',
        'readState',
        ...MATCHING,
        ...VERIFYING,
        ...REDACTION,
        'recordLimit',
        'failOn',
      ]),
    )
      .options({
        header: {
          type: 'string',
          requiresArg: true,
          group: 'Target:',
          describe: "Header of each request, as in curl: 'Authorization: Bearer ...'; repeat it for more",
        },
        unsafe: {
          type: 'boolean',
          default: false,
          describe: 'Send PATCHes, too, in the order of recording: those that pass the gate',
        },
        update: {
          type: 'boolean',
          default: false,
          describe: 'Take the live answers that differ into the recording',
        },
        ...REPORT_OPTIONS,
      })
      .example(
        "$0 verify --recording checkout --target https://staging.example.com --header 'Authorization: Bearer ...'",
        'do the reads still give what was recorded?',
      )
      .example(
        '$0 verify --recording checkout --target https://staging.example.com --update',
        'take it over',
      ),
  handler: async (argv) => {
    const [{ resolveConfig }, { runVerify }, { standardIo }, { stopSignal }, { gateOf }] = await Promise.all([
      import('../settings/config.ts'),
      import('./verify/run-verify.ts'),
      import('./check/standard-io.ts'),
      import('./stop-signal.ts'),
      import('../app/compose-gate.ts'),
    ]);
    const { config } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.verify);
    const { header, unsafe, update, format } = argv as unknown as Args;
    const io = standardIo();
    const stopping = new AbortController();
    void stopSignal().then(() => stopping.abort());
    process.exitCode = await runVerify(
      {
        config,
        selection: selectionOf(argv),
        headers: headersOf(all(header)),
        isUnsafe: unsafe,
        updates: update,
        outputs: outputsOf([format ?? []].flat(), process.cwd()),
      },
      Object.assign(io, {
        notice: (text: string) => {
          io.progress?.clear();
          process.stderr.write(`patchgate: ${text}\n`);
        },
        stopped: stopping.signal,
      }),
      // To judge is what keeps a service whole, whatever a proxy of the same config does.
      () => gateOf({ ...config, validation: 'enforce' }, { lazy: true }),
    );
  },
};
