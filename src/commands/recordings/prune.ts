import { createInterface } from 'node:readline/promises';
import type { CommandModule } from 'yargs';
import { PatchgateError } from '../../errors.ts';
import { amount } from '../../reporters/wording.ts';
import { resolveConfig } from '../../settings/config.ts';
import { flagsOf, isOn, RECORDINGS, withSettings } from '../options.ts';
import { standardOutput } from '../output.ts';
import { nothingSelected, selectionOf, withRecording, withRecordings, withSelection } from './recordings.ts';

export const prune: CommandModule = {
  builder: (yargs) =>
    withSelection(withSettings(yargs, RECORDINGS))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .option('yes', isOn('Do not ask', { alias: 'y' }))
      .example("$0 recordings prune checkout --status '5*'", 'what failed')
      .example("$0 recordings prune checkout --method DELETE --path '/api/*' --yes", 'in a script'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { name, yes } = argv as unknown as { name: string; yes: boolean };
    const goes = selectionOf(argv);
    if (!goes)
      throw new PatchgateError('bad-usage', 'nothing says which exchanges are to go', {
        hint: "give --method, --path or --status; --path '*' removes all",
      });
    const removed = await withRecordings(config, (recordings) =>
      withRecording(recordings, name, 'write', async (recording) => {
        const places = recording.places().map(async (place) => {
          const all = await recording.read(place);
          return { place, all, kept: all.filter((exchange) => !goes(exchange)) };
        });
        const read = await Promise.all(places);
        const [all, kept] = [read.flatMap((one) => one.all).length, read.flatMap((one) => one.kept).length];
        if (all === kept) throw nothingSelected(name);
        const what = `${all - kept} of ${amount(all, 'exchange')} of ${recordings.where}/${name}`;
        if (!yes && !(await isConfirmed(what))) return 'nothing was removed\n';
        for (const one of read)
          if (one.kept.length < one.all.length) await recording.write(one.place, one.kept);
        return `removed ${what}\n`;
      }),
    );
    await standardOutput().write(removed);
  },
};

/** Asks on the terminal. @throws PatchgateError `bad-usage` where there is none */
async function isConfirmed(what: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new PatchgateError('bad-usage', 'not a terminal: pass --yes to confirm', {
      hint: `it would remove ${what}`,
    });
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`remove ${what}? [y/N] `).finally(() => terminal.close());
  return /^\s*y(?:es)?\s*$/i.test(answer);
}
