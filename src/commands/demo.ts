import type { CommandModule } from 'yargs';
import { SERVING, withSettings } from './options.ts';

export const demo: CommandModule = {
  command: 'demo',
  describe: 'Shows the main job in one go, on a fake of the service',
  builder: (yargs) =>
    withSettings(yargs, [...SERVING, 'recordings']).example('$0 demo -p 8080', 'on another port than 4010'),
  handler: async (argv) => {
    const { runDemo } = await import('./demo/run-demo.ts');
    await runDemo(argv);
  },
};
