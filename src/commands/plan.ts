import type { CommandModule } from 'yargs';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { all, once } from './given.ts';
import { flagsOf, GUARDING, REDACTION, withSettings } from './options.ts';

/** As the builder has yargs read them; what is given twice is a list. */
interface Args {
  body: string;
  project: string | string[];
  recording?: string;
  fromTarget?: string | string[];
  header?: string | string[];
  writeFull?: string | string[];
  format: 'text' | 'json';
}

const SOURCES = 'What the project holds (one of them):';

export const plan: CommandModule = {
  command: 'plan <body>',
  describe: 'Says what a PATCH of a project would create, delete and replace; sends none',
  builder: (yargs) =>
    withSettings(yargs, [
      ...GUARDING,
      ...REDACTION,
      ...([
        'contract',
        'basePath',
        'bodyLimit',
        'recordings',
        'timeout',
        'targetCa',
        'targetInsecure',
      ] as const),
    ])
      .positional('body', {
        type: 'string',
        demandOption: true,
        describe: 'File with the body of the PATCH, - for standard input',
      })
      .options({
        project: { type: 'string', requiresArg: true, demandOption: true, describe: 'Id of the project' },
        state: {
          type: 'string',
          requiresArg: true,
          group: SOURCES,
          describe: 'File in which patchgate proxy keeps what it knows',
          defaultDescription: '.patchgate/state.json',
        },
        recording: {
          type: 'string',
          requiresArg: true,
          group: SOURCES,
          describe: 'Recording whose exchanges show it',
        },
        'from-target': {
          type: 'string',
          requiresArg: true,
          group: SOURCES,
          describe: 'Base URL of the service: it is read there, by one GET',
        },
        header: {
          type: 'string',
          requiresArg: true,
          group: 'Target:',
          describe: "Header of that GET, as in curl: 'Authorization: Bearer ...'; repeat it for more",
        },
        'write-full': {
          type: 'string',
          requiresArg: true,
          describe: 'File to write the body to that loses no environment',
        },
        format: { choices: ['text', 'json'] as const, default: 'text' as const, describe: 'Of the plan' },
      })
      .example('$0 plan body.json --project 42', 'against what the proxy has seen')
      .example('$0 plan body.json --project 42 --write-full body.json', 'and keep what would be lost')
      .example('$0 plan - --project 42 --recording checkout < body.json', 'against a recording')
      .example(
        '$0 plan body.json --project 42 --from-target https://staging.example.com/api/v2',
        'against the service',
      )
      .epilogue(
        'Exit codes: 0 no environment is lost (but those of --allow-delete), 3 one is deleted or replaced, 2 could not tell.',
      ),
  handler: async (argv) => {
    const [
      { resolveConfig, workspaceOf },
      { runPlan },
      { sourceOf },
      { headersOf },
      { standardOutput },
      { isColoured },
    ] = await Promise.all([
      import('../settings/config.ts'),
      import('./plan/run-plan.ts'),
      import('./plan/source.ts'),
      import('./plan/header-option.ts'),
      import('./output.ts'),
      import('./is-coloured.ts'),
    ]);
    const { config, origins } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.plan);
    const { body, project, recording, fromTarget, header, writeFull, format } = argv as unknown as Args;
    const source = sourceOf({
      state: config.state,
      isStateFlag: origins.state === 'flag',
      recording: recording === undefined ? undefined : config.recording,
      recordings: config.recordings,
      fromTarget: once('from-target', fromTarget),
      headers: headersOf(all(header)),
    });
    const { basePath = '' } = config;
    // yargs loses a lone - among the positionals, though it counts it.
    const file = body === '' && process.argv.includes('-') ? '-' : body;
    process.exitCode = await runPlan(
      {
        body: file,
        project: once('project', project) as string,
        account: workspaceOf(config),
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
        say: (text) => process.stderr.write(`patchgate: ${text}\n`),
        get stdin() {
          return process.stdin;
        },
        cwd: process.cwd(),
      },
      async () => {
        const { gateOf } = await import('../app/compose-gate.ts');
        // Whatever a proxy of the same config does; and what it forwards to is not asked here.
        return gateOf({ ...config, validation: 'enforce', guard: 'on', target: undefined }, { lazy: true });
      },
    );
  },
};
