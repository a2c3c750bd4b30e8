import type { CommandModule } from 'yargs';
import { judgingGate } from '../app/compose-gate.ts';
import { resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { outputsOf, REPORT_OPTIONS } from './check/outputs.ts';
import { standardIo } from './check/standard-io.ts';
import { all, headersOf } from './given.ts';
import {
  flagsOf,
  GUARDING,
  isOn,
  JUDGING,
  MATCHING,
  REDACTION,
  takesText,
  VERIFYING,
  withSettings,
} from './options.ts';
import { say, stopSignal } from './output.ts';
import { selectionOf, withSelection } from './recordings/selection.ts';
import { runVerify } from './verify/run-verify.ts';

/** As the builder has yargs read them; what is given twice is a list. */
interface Args {
  header?: string | string[];
  unsafe: boolean;
  update: boolean;
  format?: string | string[];
}

export const verify: CommandModule = {
  builder: (yargs) =>
    withSelection(
      withSettings(yargs, [
        'recording',
        'recordings',
        'target',
        'timeout',
        'targetCa',
        'targetProxy',
        'targetInsecure',
        'targetCert',
        'targetKey',
        'setHeader',
        ...JUDGING.filter((name) => name !== 'validation'),
        ...GUARDING,
        'readState',
        ...MATCHING,
        ...VERIFYING,
        ...REDACTION,
        'failOn',
      ]),
    )
      .options({
        header: takesText(
          "Header of each request, as in curl: 'Authorization: Bearer ...'; repeat it for more",
          { group: 'Target:' },
        ),
        unsafe: isOn('Send PATCHes, too, in the order of recording: those that pass the gate'),
        update: isOn('Take the live answers that differ into the recording'),
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
    const { config } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.verify);
    const { header, unsafe, update, format } = argv as unknown as Args;
    const io = standardIo();
    const notice = (text: string) => {
      io.progress?.clear();
      say(text);
    };
    const stopping = new AbortController();
    void stopSignal().then(() => stopping.abort());
    process.exitCode = await runVerify(
      {
        config,
        selection: selectionOf(argv),
        headers: headersOf(all(header)),
        isUnsafe: unsafe,
        updates: update,
        outputs: outputsOf(all(format), process.cwd()),
      },
      Object.assign(io, { notice, stopped: stopping.signal }),
      () => judgingGate(config),
    );
  },
};
