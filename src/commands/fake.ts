import type { CommandModule } from 'yargs';
import { FAKING, withSettings } from './options.ts';

export const fake: CommandModule = {
  command: 'fake',
  describe: 'The gate in front of a stateful fake of the service',
  builder: (yargs) =>
    withSettings(yargs, FAKING)
      .example('$0 fake', 'project 42, feature 7 and draft 1001 of a built-in sample')
      .example('$0 fake --seed records.json --envelope _data', 'records of your own, wrapped in _data')
      .example('$0 fake --latency 50ms..2s --fault "GET reset count=1"', 'slow, and at first broken'),
  handler: async (argv) => {
    const { serve } = await import('./serve.ts');
    await serve('fake', argv);
  },
};
