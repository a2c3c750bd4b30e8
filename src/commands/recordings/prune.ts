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
      .example('$0 recordings prune checkout --before 2026-10-01', 'what is old')
      .example("$0 recordings prune checkout --method DELETE --path '/api/*' --yes", 'in a script'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { name, yes } = argv as unknown as { name: string; yes: boolean };
    const goes = selectionOf(argv);
    if (!goes)
      throw new PatchgateError('bad-usage', 'nothing says which exchanges are to go', {
        hint: "give --path, --method, --status or --before; --path '*' removes all",
      });
    const removed = await withRecordings(config, (recordings) =>
      withRecording(recordings, name, 'write', async (recording) => {
        let [gone, all] = [0, 0];
        const changes: (() => Promise<void>)[] = [];
        for (const place of recording.places()) {
          const exchanges = await recording.read(place);
          const kept = exchanges.filter((exchange) => !goes(exchange));
          all += exchanges.length;
          gone += exchanges.length - kept.length;
          if (kept.length < exchanges.length) changes.push(() => recording.write(place, kept));
        }
        if (gone === 0) throw nothingSelected(name);
        const what = `${gone} of ${amount(all, 'exchange')} of ${recordings.placeOf(name)}`;
        if (!yes && !(await isConfirmed(what))) return undefined;
        for (const change of changes) await change();
        return what;
      }),
    );
    await standardOutput().write(removed === undefined ? 'nothing was removed\n' : `removed ${removed}\n`);
  },
};

/** Asks on the terminal. @throws PatchgateError `bad-usage` where there is none */
async function isConfirmed(what: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new PatchgateError('bad-usage', 'not a terminal: pass --yes to confirm', {
      hint: `it would remove ${what}`,
    });
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^\s*y(?:es)?\s*$/i.test(await terminal.question(`remove ${what}? [y/N] `));
  } finally {
    terminal.close();
  }
}
