import { setFlagsFromString } from 'node:v8';
import type { CommandModule } from 'yargs';
import type { ServerKind } from '../app/compose-upstream.ts';
import { recordedAt, unservedText } from '../app/run-text.ts';
import { PatchgateError } from '../errors.ts';
import { recordedText, visible } from '../reporters/wording.ts';
import { type Config, resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { version } from '../version.ts';
import { meantBehindFlag } from './misplaced.ts';
import { FAKING, flagsOf, PROXYING, REPLAYING_ALONE, withSettings } from './options.ts';
import { ignoreBrokenPipe, runtimeContext, say, stopSignal } from './output.ts';

export const proxy: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, PROXYING)
      .positional('target', { type: 'string', describe: 'Base URL of the real service' })
      .example('$0 proxy https://staging.example.com', 'judge, and forward what passes')
      .example(
        '$0 proxy https://staging.example.com --record --recording checkout',
        'and keep it in recordings/checkout',
      )
      .example(
        '$0 proxy https://staging.example.com --read-state --guard=strict',
        'let no environment go unasked',
      ),
  handler: async (argv) => {
    const { target } = argv;
    const meant = typeof target === 'string' && meantBehindFlag(target, process.argv);
    if (meant)
      throw new PatchgateError('bad-usage', `invalid value ${JSON.stringify(target)} for the target`, {
        hint: `did you mean ${meant}?`,
      });
    await serve('proxy', flagsOf(argv));
  },
};

export const replay: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, REPLAYING_ALONE)
      .example('$0 replay --recording checkout', 'answer what was recorded, refuse the rest')
      .example('$0 replay --fail-unused', 'and exit with 1 where something was never asked for')
      .example(
        '$0 replay --fault "PATCH status=503 rate=0.2" --fault-seed 7',
        'fail now and then, each time in the same way',
      ),
  handler: (argv) => serve('replay', flagsOf(argv)),
};

export const fake: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, FAKING)
      .example('$0 fake', 'project 42, feature 7 and draft 1001 of a built-in sample')
      .example('$0 fake --seed records.json --envelope _data', 'records of your own, wrapped in _data')
      .example('$0 fake --latency 50ms..2s --fault "GET reset count=1"', 'slow, and at first broken'),
  handler: (argv) => serve('fake', flagsOf(argv)),
};

/** The young generation stays small, for short pauses; the old one may double before it is cleared of garbage. */
const HEAP_FLAGS = ['--semi-space-growth-factor=1', '--heap-growing-percent=100'];

/**
 * Runs a server until it is told to stop: the access log goes to standard output, all else to standard error.
 * SIGINT and SIGTERM let what is in flight finish and write out what was recorded; a second one ends at once. With
 * `--fail-unused` it then reports what was never served of the recording, and the exit code is 1.
 *
 * @param flags by setting name
 */
export async function serve(kind: ServerKind, flags: Readonly<Record<string, unknown>>): Promise<void> {
  const { config } = await resolveConfig(flags, COMMAND_DEFAULTS[kind]);
  // From here on: a start that is half done would leave its lock behind.
  const stopped = stopSignal();
  const { createPatchgate } = await import('../app/patchgate.ts');
  ignoreBrokenPipe();
  for (const flag of HEAP_FLAGS) setFlagsFromString(flag);
  const gate = await createPatchgate(kind, config, runtimeContext(process.stdout));
  try {
    const listening = await gate.listen();
    say(`${version()} listens on ${listening.url}`);
    say(gate.summary);
    const hasControl = listening.isLoopback || config.controlToken !== undefined;
    const health = hasControl ? `; health: ${listening.url}/__patchgate/health` : '';
    say(`validation ${config.validation}, guard ${config.guard}${policyText(config)}${health}`);
    await stopped;
    // What is in flight is over then.
    await listening.close();
    const unserved = config.failUnused ? await gate.unserved() : undefined;
    if (unserved) say(unservedText(unserved));
    if (unserved?.count) process.exitCode = 1;
  } finally {
    await gate.close();
  }
  const recorded = gate.recorded();
  if (recorded !== undefined) say(recordedText(recorded, recordedAt(config, gate.waiting())));
}

function policyText({ protect }: Config): string {
  return protect.length > 0 ? `, protects ${protect.map(visible).join(', ')}` : '';
}
