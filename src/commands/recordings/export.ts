import type { CommandModule } from 'yargs';
import { harEntryOf } from '../../recordings/har/to-har.ts';
import { redactExchange } from '../../recordings/plain-exchange.ts';
import { version } from '../../version.ts';
import { RECORDINGS, withSettings } from '../options.ts';
import { inOrder, selectionOf, withRecording, withRecordings, withSelection } from './recordings.ts';

export const exportRecording: CommandModule = {
  builder: (yargs) =>
    withSelection(withSettings(yargs, [...RECORDINGS, 'redact']))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .example('$0 recordings export shop > shop.har', "for a browser's developer tools")
      .example("$0 recordings export shop --path '/api/*'", 'a part of it'),
  handler: (argv) =>
    withRecordings(argv, async (recordings) => {
      const all = await withRecording(recordings, String(argv.name), 'read', inOrder);
      const chosen = all.filter(selectionOf(argv) ?? (() => true));
      const entries = chosen.map((one) => harEntryOf(redactExchange(one, recordings.rules.redaction)));
      const log = { version: '1.2', creator: { name: 'patchgate', version: version() }, entries };
      return `${JSON.stringify({ log }, null, 2)}\n`;
    }),
};
