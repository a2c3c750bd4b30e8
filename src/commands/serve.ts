import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import type { ServerKind } from '../app/modes.ts';
import type { Patchgate } from '../app/patchgate.ts';
import { missesText, unservedText } from '../app/run-text.ts';
import { recordedText, visible } from '../reporters/wording.ts';
import { type Config, resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { version } from '../version.ts';
import { argumentBehind, FAKING, flagsOf, PROXYING, REPLAYING, withSettings } from './options.ts';
import { ignoreBrokenPipe, runtimeContext, say, stopSignal } from './output.ts';

export const proxy: CommandModule = {
  builder: (yargs) =>
    withSettings(
      yargs.positional('target', { type: 'string', describe: 'Base URL of the real service' }),
      PROXYING,
    )
      .example('$0 proxy https://example.com', 'judge, and forward what passes')
      .example('$0 proxy https://example.com --record', 'and keep it'),
  handler(argv) {
    argv.target ??= argumentBehind(argv, (text) => /^https?:/i.test(text))[0];
    return serve('proxy', flagsOf(argv));
  },
};

export const replay: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, REPLAYING)
      .example('$0 replay --recording checkout', 'answer what was recorded, refuse the rest')
      .example('$0 replay --fault "GET status=503"', 'and fail each read'),
  handler: (argv) => serve('replay', flagsOf(argv)),
};

export const fake: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, FAKING)
      .example('$0 fake', 'project 42, feature 7 and draft 1001 of a built-in sample')
      .example('$0 fake --seed records.json', 'records of your own'),
  handler: (argv) => serve('fake', flagsOf(argv)),
};

/**
 * Runs a server until a signal stops it: the access log goes to standard output, all else to standard error.
 * SIGINT and SIGTERM let requests in flight finish, and write out the recording; a second one ends at once. A replay then says what it
 * served, what it missed, and what was never asked for; with `--fail-unused` that makes the exit code 1, and a recording that could not be
 * read makes it 2.
 *
 * @param flags by setting name
 */
export async function serve(kind: ServerKind, flags: Readonly<Record<string, unknown>>): Promise<void> {
  const { config } = await resolveConfig(flags, COMMAND_DEFAULTS[kind]);
  // From here on: a start that is half done would leave its lock behind.
  const stopped = stopSignal();
  const { createPatchgate } = await import('../app/patchgate.ts');
  ignoreBrokenPipe();
  const gate = await createPatchgate(kind, config, runtimeContext(process.stdout));
  // CVE-2025-23167: Node.js 20.19.0 and 20.19.1 have it.
  if (process.versions.llhttp?.startsWith('8.'))
    say(`Node.js ${process.version} takes HTTP that others read differently: update it to 20.19.2 or newer`);
  try {
    say(`${version()} listens on ${gate.url}`);
    say(gate.summary);
    const protects = config.protect.length > 0 ? `, protects ${config.protect.map(visible).join(', ')}` : '';
    const hasControl = gate.isLoopback || config.controlToken !== undefined;
    const health = hasControl ? `; health: ${gate.url}/__patchgate/health` : '';
    say(`validation ${config.validation}, guard ${gate.guard}${protects}${health}`);
    await stopped;
    // Requests in flight end first.
    await gate.stop();
    if (kind === 'replay') {
      const missed = missesText(gate.replay?.misses.list());
      if (missed) say(missed);
      if (await reportUnserved(gate, config.failUnused)) process.exitCode = 1;
      if (gate.counts.failed > 0) process.exitCode = 2;
    }
  } finally {
    await gate.close();
  }
  sayRecorded(gate, config);
}

/** Says how much a run has recorded, and where. */
export function sayRecorded({ store }: Patchgate, { store: database, recordings, recording }: Config): void {
  const place = database === undefined ? join(recordings, recording) : `"${recording}" of the database`;
  const status = store?.status();
  if (status) say(recordedText(status.recorded, place));
}

/** Says what was never asked for. @returns whether that is a failure */
export async function reportUnserved({ replay, counts }: Patchgate, failUnused: boolean): Promise<boolean> {
  // Of a recording that cannot be read, a notice has told.
  const unserved = counts.failed === 0 ? await replay?.unserved() : undefined;
  if (!unserved?.total || (counts.requests === 0 && !failUnused)) return false;
  say(unservedText(unserved, failUnused));
  return failUnused && unserved.count > 0;
}
