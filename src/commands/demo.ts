import type { CommandModule } from 'yargs';

export const demo: CommandModule = {
  command: 'demo',
  describe: 'Shows the main job in one go',
  handler: async () => undefined,
};
