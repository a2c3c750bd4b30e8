import type { CommandModule } from 'yargs';
import { REPLAYING_ALONE, withSettings } from './options.ts';

export const replay: CommandModule = {
  command: 'replay',
  describe: 'Answers from a recording, without the service',
  builder: (yargs) =>
    withSettings(yargs, REPLAYING_ALONE)
      .example('$0 replay --recording checkout', 'answer what was recorded, refuse the rest')
      .example(
        '$0 replay --on-miss forward --target https://staging.example.com',
        'ask the service for the rest',
      )
      .example('$0 replay --max-age 30d --on-stale refuse --fail-unused', 'nothing old, and nothing unused')
      .example(
        '$0 replay --fault "PATCH status=503 rate=0.2" --fault-seed 7',
        'fail now and then, each time in the same way',
      ),
  handler: async (argv) => {
    const { serve } = await import('./serve.ts');
    await serve('replay', argv);
  },
};
