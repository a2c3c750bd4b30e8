import type { CommandModule } from 'yargs';
import { amount } from '../../reporters/wording.ts';
import { flagsOf, REDACTION, withSettings } from '../options.ts';
import { selectionOf, withSelection } from './selecting.ts';

/** As the builder has yargs read them. */
interface Args {
  name: string;
  format: 'har' | 'curl';
  output?: string;
}

export const exportRecording: CommandModule = {
  command: 'export <name>',
  describe: 'Writes a recording as an HTTP archive (HAR 1.2) or as curl commands',
  builder: (yargs) =>
    withSelection(withSettings(yargs, ['recordings', 'target', ...REDACTION]))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .options({
        format: { choices: ['har', 'curl'] as const, default: 'har' as const, describe: 'Of the export' },
        output: {
          alias: 'o',
          type: 'string',
          requiresArg: true,
          describe: 'File to write; else standard output',
        },
      })
      .example('$0 recordings export checkout -o checkout.har', "for a browser's developer tools")
      .example(
        '$0 recordings export checkout --format curl --method PATCH | bash',
        'send what was recorded again',
      )
      .example(
        '$0 recordings export checkout --target https://staging.example.com',
        'with the URLs of a service',
      ),
  handler: async (argv) => {
    const [
      { resolveConfig },
      { standardOutput, writeFileWhole },
      { runExport },
      { redactionOf },
      { parseTarget },
    ] = await Promise.all([
      import('../../settings/config.ts'),
      import('../output.ts'),
      import('./run-export.ts'),
      import('../../recordings/redaction/redaction.ts'),
      import('../../upstreams/target.ts'),
    ]);
    const [{ NO_ORIGIN }, { version }] = await Promise.all([
      import('../../recordings/har/har.ts'),
      import('../../version.ts'),
    ]);
    const { config, origins } = await resolveConfig(flagsOf(argv));
    const { name, format, output } = argv as unknown as Args;
    // What a proxy is configured for is not what these commands are to be sent to, unless somebody says so here.
    const target = origins.target === 'flag' ? parseTarget(config.target as string) : undefined;
    const args = {
      folder: config.recordings,
      name,
      selection: selectionOf(argv),
      format,
      base: target ? target.origin + target.path : format === 'har' ? NO_ORIGIN : 'http://127.0.0.1:4010',
      redaction: redactionOf(config),
      version: version(),
    };
    if (output === undefined) await runExport(args, standardOutput());
    else {
      const count = await writeFileWhole(output, (file) => runExport(args, file));
      process.stderr.write(`patchgate: ${amount(count, 'exchange')} written to ${output}\n`);
    }
  },
};
