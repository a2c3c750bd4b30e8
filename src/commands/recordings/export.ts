import type { CommandModule } from 'yargs';
import { CREATOR, NO_ORIGIN } from '../../recordings/har/har.ts';
import { harEntryOf } from '../../recordings/har/to-har.ts';
import { redactExchange } from '../../recordings/plain-exchange.ts';
import { amount } from '../../reporters/wording.ts';
import { resolveConfig } from '../../settings/config.ts';
import { parseTarget } from '../../upstreams/target.ts';
import { version } from '../../version.ts';
import { flagsOf, RECORDINGS, REDACTION, takesText, withSettings } from '../options.ts';
import { say, standardOutput, writeFileWhole } from '../output.ts';
import { exchangesOf, selectionOf, withRecording, withRecordings, withSelection } from './recordings.ts';

export const exportRecording: CommandModule = {
  builder: (yargs) =>
    withSelection(withSettings(yargs, [...RECORDINGS, 'target', ...REDACTION]))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .options({ output: takesText('File to write; else standard output', { alias: 'o' }) })
      .example('$0 recordings export checkout -o checkout.har', "for a browser's developer tools")
      .example(
        '$0 recordings export checkout --target https://staging.example.com',
        'with the URLs of a service',
      ),
  handler: async (argv) => {
    const { config, origins } = await resolveConfig(flagsOf(argv));
    const { name, output } = argv as unknown as { name: string; output?: string };
    // The target of a config file is the proxy's.
    const target = origins.target === 'flag' ? parseTarget(config.target as string) : undefined;
    const base = target ? target.origin + target.path : NO_ORIGIN;
    const selection = selectionOf(argv) ?? (() => true);
    const entries = await withRecordings(config, async (recordings) => {
      const all = await withRecording(recordings, name, 'read', exchangesOf);
      return all
        .filter(({ exchange }) => selection(exchange))
        .map(({ exchange }) => harEntryOf(redactExchange(exchange, recordings.rules.redaction), base));
    });
    const creator = { name: CREATOR, version: version() };
    const text = `${JSON.stringify({ log: { version: '1.2', creator, entries } }, null, 2)}\n`;
    if (output === undefined) return void (await standardOutput().write(text));
    await writeFileWhole(output, [text]);
    say(`${amount(entries.length, 'exchange')} written to ${output}`);
  },
};
