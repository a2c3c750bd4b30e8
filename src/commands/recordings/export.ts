import type { CommandModule } from 'yargs';
import { harEntryOf } from '../../recordings/har/to-har.ts';
import { redactExchange } from '../../recordings/plain-exchange.ts';
import { redactionOf } from '../../recordings/redact/redaction.ts';
import { resolveConfig } from '../../settings/config.ts';
import { version } from '../../version.ts';
import { flagsOf, RECORDINGS, withSettings } from '../options.ts';
import { standardOutput } from '../output.ts';
import { exchangesOf, selectionOf, withSelection } from './recordings.ts';

export const exportRecording: CommandModule = {
  builder: (yargs) =>
    withSelection(withSettings(yargs, [...RECORDINGS, 'redact']))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .example('$0 recordings export shop > shop.har', "for a browser's developer tools")
      .example("$0 recordings export shop --path '/api/*'", 'a part of it'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const selection = selectionOf(argv) ?? (() => true);
    const all = (await exchangesOf(config, String(argv.name))).filter(selection);
    const redaction = redactionOf(config);
    const entries = all.map((one) => harEntryOf(redactExchange(one, redaction)));
    const creator = { name: 'patchgate', version: version() };
    const log = { version: '1.2', creator, entries };
    await standardOutput().write(`${JSON.stringify({ log }, null, 2)}\n`);
  },
};
