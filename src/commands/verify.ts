import type { CommandModule } from 'yargs';
import { judgingGate } from '../app/compose-gate.ts';
import { resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { standardIo } from './check/standard-io.ts';
import { all, headersOf } from './given.ts';
import { flagsOf, GUARDING, JUDGING, MATCHING, REDACTION, takesText, withSettings } from './options.ts';
import { say, standardOutput, stopSignal } from './output.ts';
import { runVerify } from './verify/run-verify.ts';

/** As the builder has yargs read them; what is given twice is a list. */
interface Args {
  header?: string | string[];
  patch?: string | string[];
}

export const verify: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [
      'recording',
      'recordings',
      'target',
      'timeout',
      'targetCa',
      'targetInsecure',
      'targetCert',
      'targetKey',
      'setHeader',
      ...JUDGING.filter((name) => name !== 'validation'),
      ...GUARDING,
      ...MATCHING,
      ...REDACTION,
    ])
      .options({
        header: takesText(
          "Header of each request, as in curl: 'Authorization: Bearer ...'; repeat it for more",
          { group: 'Target:' },
        ),
        patch: takesText(
          'Path whose recorded PATCHes are sent, too, if they pass the gate; repeat it for more',
        ),
      })
      .example(
        "$0 verify --recording checkout --target https://staging.example.com --header 'Authorization: Bearer ...'",
        'do the reads still give what was recorded?',
      )
      .example(
        '$0 verify --recording checkout --target https://staging.example.com --patch /accounts/196/projects/42',
        'and the PATCHes of this project?',
      ),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.verify);
    const { header, patch } = argv as unknown as Args;
    const { progress } = standardIo();
    const stopping = new AbortController();
    void stopSignal().then(() => stopping.abort());
    process.exitCode = await runVerify(
      { config, headers: headersOf(all(header)), patches: all(patch) },
      {
        output: standardOutput(),
        notice(text) {
          progress?.clear();
          say(text);
        },
        ...(progress && { progress }),
        stopped: stopping.signal,
      },
      () => judgingGate(config),
    );
  },
};
