import type { CommandModule } from 'yargs';
import { exportRecording } from './recordings/export.ts';
import { importRecording } from './recordings/import.ts';
import { list } from './recordings/list.ts';
import { remove } from './recordings/remove.ts';
import { scrub } from './recordings/scrub.ts';
import { show } from './recordings/show.ts';

export const recordings: CommandModule = {
  command: 'recordings',
  describe: 'Lists, shows, scrubs, removes, imports and exports recordings',
  builder: (yargs) =>
    yargs
      .command([list, show, scrub, remove, importRecording, exportRecording])
      .demandCommand(1, 'no command is given after recordings')
      .example('$0 recordings list', 'what is recorded, how old it is, what nobody replays')
      .example('$0 recordings show checkout --method PATCH', 'what a recording holds'),
  handler: () => undefined,
};
