import type { CommandModule } from 'yargs';
import { PatchgateError } from '../../errors.ts';
import { amount } from '../../reporters/wording.ts';
import { isOn, RECORDINGS, withSettings } from '../options.ts';
import { selectionOf, withRecording, withRecordings, withSelection } from './recordings.ts';

export const prune: CommandModule = {
  builder: (yargs) =>
    withSelection(withSettings(yargs, RECORDINGS))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .option('yes', isOn('Remove them; without it, only say how many', { alias: 'y' }))
      .example("$0 recordings prune old --status '5*'", 'how many are there?')
      .example("$0 recordings prune old --status '5*' --yes", 'removes them'),
  handler: (argv) => {
    const { name, yes } = argv as unknown as { name: string; yes: boolean };
    const goes = selectionOf(argv);
    if (!goes)
      throw new PatchgateError('bad-usage', 'nothing says which exchanges are to go', {
        hint: "give --method, --path or --status; --path '*' removes all",
      });
    return withRecordings(argv, (recordings) =>
      withRecording(recordings, name, 'write', async (recording) => {
        const places = recording.places().map(async (place) => {
          const all = await recording.read(place);
          return { place, all, kept: all.filter((exchange) => !goes(exchange)) };
        });
        const read = await Promise.all(places);
        const [all, kept] = [read.flatMap((one) => one.all).length, read.flatMap((one) => one.kept).length];
        const what = `${all - kept} of ${amount(all, 'exchange')} of ${recordings.where}/${name}`;
        if (all === kept) throw new PatchgateError('bad-usage', `${name} holds no such exchange`);
        if (!yes) return `would remove ${what}; --yes does\n`;
        for (const one of read)
          if (one.kept.length < one.all.length) await recording.write(one.place, one.kept);
        return `removed ${what}\n`;
      }),
    );
  },
};
