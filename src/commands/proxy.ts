import type { CommandModule } from 'yargs';
import { PatchgateError } from '../errors.ts';
import { meantBehindFlag } from './misplaced.ts';
import { PROXYING, withSettings } from './options.ts';

export const proxy: CommandModule = {
  command: 'proxy [target]',
  describe: 'The gate in front of a real service',
  builder: (yargs) =>
    withSettings(yargs, PROXYING)
      .positional('target', { type: 'string', describe: 'Base URL of the real service' })
      .example('$0 proxy https://staging.example.com', 'judge, and forward what passes')
      .example(
        '$0 proxy https://staging.example.com --record --recording checkout',
        'and keep it in recordings/checkout',
      )
      .example(
        '$0 proxy https://staging.example.com --read-state --guard=strict',
        'let no environment go unasked',
      ),
  handler: async (argv) => {
    const { target } = argv;
    const meant = typeof target === 'string' && meantBehindFlag(target, process.argv);
    if (meant)
      throw new PatchgateError('bad-usage', `${JSON.stringify(target)} is no target`, {
        hint: `did you mean ${meant}?`,
      });
    const { serve } = await import('./serve.ts');
    await serve('proxy', argv);
  },
};
