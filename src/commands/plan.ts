import type { CommandModule } from 'yargs';
import { judgingGate } from '../app/compose-gate.ts';
import { withDatabase } from '../app/open-database.ts';
import type { Database } from '../postgres/database.ts';
import { resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { parseTarget } from '../upstreams/target.ts';
import { all, headersOf, once } from './given.ts';
import { flagsOf, formatOf, GUARDING, RECORDINGS, REDACTION, takesText, withSettings } from './options.ts';
import { isColoured, say, standardOutput } from './output.ts';
import { type Format, runPlan } from './plan/run-plan.ts';
import { sourceOf } from './plan/source.ts';

/** As the builder has yargs read them; what is given twice is a list. */
interface Args {
  body: string;
  project: string | string[];
  recording?: string;
  fromTarget?: string | string[];
  header?: string | string[];
  writeFull?: string | string[];
  format: Format;
}

const SOURCES = 'What the project holds (one of them):';

export const plan: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [
      ...GUARDING,
      ...REDACTION,
      ...([
        'contract',
        'basePath',
        ...RECORDINGS,
        'timeout',
        'targetCa',
        'targetInsecure',
        'targetCert',
        'targetKey',
        'setHeader',
      ] as const),
    ])
      .positional('body', {
        type: 'string',
        demandOption: true,
        describe: 'File with the body of the PATCH, - for standard input',
      })
      .options({
        project: takesText('Id of the project', { demandOption: true }),
        state: takesText('File in which patchgate proxy keeps what it knows', {
          group: SOURCES,
          defaultDescription: '.patchgate/state.json',
        }),
        recording: takesText('Recording whose exchanges show it', { group: SOURCES }),
        'from-target': takesText('Base URL of the service: it is read there, by one GET', { group: SOURCES }),
        header: takesText("Header of that GET, as in curl: 'Authorization: Bearer ...'; repeat it for more", {
          group: 'Target:',
        }),
        'write-full': takesText('File to write the body to that loses no environment'),
        format: formatOf('Of the plan', 'text', 'json'),
      })
      .example('$0 plan body.json --project 42', 'against what the proxy has seen')
      .example('$0 plan body.json --project 42 --write-full body.json', 'and keep what would be lost')
      .example('$0 plan - --project 42 --recording checkout < body.json', 'against a recording')
      .example(
        '$0 plan body.json --project 42 --store postgres://db.example.com/gates',
        'against what the gates of a fleet know',
      )
      .example(
        '$0 plan body.json --project 42 --from-target https://staging.example.com/api/v2',
        'against the service',
      )
      .epilogue(
        'Exit codes: 0 no environment is lost (but those of --allow-delete), 3 one is deleted or replaced, 2 could not tell.',
      ),
  handler: async (argv) => {
    const { config, origins } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.plan);
    const { body, project, recording, fromTarget, header, writeFull, format } = argv as unknown as Args;
    const source = sourceOf({
      state: config.state,
      isStateFlag: origins.state === 'flag',
      hasStore: config.store !== undefined,
      isStoreFlag: origins.store === 'flag',
      recording: recording === undefined ? undefined : config.recording,
      recordings: config.recordings,
      fromTarget: once('from-target', fromTarget),
      headers: headersOf(all(header)),
    });
    const { basePath = '' } = config;
    const { target } = config;
    const store = source.kind === 'store' || source.kind === 'recording' ? config.store : undefined;
    const run = (database: Database | undefined) =>
      runPlan(
        {
          database,
          service: target === undefined ? undefined : parseTarget(target).origin,
          // yargs loses a lone - among the positionals, though it counts it.
          body: body === '' && process.argv.includes('-') ? '-' : body,
          project: once('project', project) as string,
          // It may go on into the operation's own path.
          basePath: basePath.replace(/\/accounts(?:\/.*)?$/, ''),
          source,
          target: config,
          format,
          redaction: config,
          isColoured: isColoured(process.stdout, process.env),
          writeFull: once('write-full', writeFull),
          now: Date.now(),
        },
        {
          output: standardOutput(),
          say,
          get stdin() {
            return process.stdin;
          },
          cwd: process.cwd(),
        },
        // Whatever a proxy of the same config does; and what it forwards to is not asked here.
        () => judgingGate({ ...config, guard: 'on', target: undefined }),
      );
    process.exitCode = await withDatabase({ store }, run);
  },
};
