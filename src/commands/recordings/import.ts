import type { CommandModule } from 'yargs';
import { flagsOf, MATCHING, RECORDING, REDACTION, withSettings } from '../options.ts';

/** As the builder has yargs read them. */
interface Args {
  files: string[];
  only?: string[];
  method?: string;
  replace: boolean;
}

export const importRecording: CommandModule = {
  command: 'import <files..>',
  describe: 'Records what HTTP archives (HAR) of browsers and proxies hold, redacted',
  builder: (yargs) =>
    withSettings(yargs, ['recordings', 'recording', ...RECORDING, ...MATCHING, ...REDACTION])
      .positional('files', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'HAR files; - is standard input',
      })
      .options({
        only: {
          type: 'string',
          array: true,
          nargs: 1,
          describe: 'Only entries whose URL (or path, with a slash in front) begins so; * is any characters',
        },
        method: { type: 'string', requiresArg: true, describe: 'Only entries of this method' },
        replace: {
          type: 'boolean',
          default: false,
          describe: 'Drop what was recorded for the same requests before; otherwise it is added to',
        },
      })
      .example('$0 recordings import session.har --recording checkout', 'what a browser saved')
      .example(
        '$0 recordings import session.har --recording checkout --only https://staging.example.com/api/',
        'nothing of other hosts',
      ),
  handler: async (argv) => {
    const [{ resolveConfig }, { standardOutput }, { runImport }, { importedText }, { rulesOf }] =
      await Promise.all([
        import('../../settings/config.ts'),
        import('../output.ts'),
        import('./run-import.ts'),
        import('./imported-text.ts'),
        import('../../app/open-recording.ts'),
      ]);
    const { config } = await resolveConfig(flagsOf(argv));
    const { files, only = [], method, replace } = argv as unknown as Args;
    // yargs loses a lone - among the positionals. What can be read only once comes first.
    if (process.argv.includes('-')) files.unshift('-');
    const imported = await runImport({
      ...config,
      files,
      folder: config.recordings,
      name: config.recording,
      only,
      method,
      replace,
      rules: rulesOf(config),
      notice: (text) => process.stderr.write(`patchgate: ${text}\n`),
    });
    await standardOutput().write(importedText(imported, config.recording, config.recordings));
  },
};
