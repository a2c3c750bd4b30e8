import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Kind } from '../app/compose-upstream.ts';
import { recordedText } from '../reporters/wording.ts';
import { resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { version } from '../version.ts';
import { isColoured } from './is-coloured.ts';
import { flagsOf } from './options.ts';
import { outliveReaders } from './outlive-readers.ts';
import { reportUnserved } from './report-unserved.ts';
import { stopSignal } from './stop-signal.ts';

/** The young generation stays small, for short pauses; the old one may double before it is cleared of garbage. */
const HEAP_FLAGS = ['--semi-space-growth-factor=1', '--heap-growing-percent=100'];

/**
 * Runs a server until it is told to stop: the access log goes to standard output, all else to standard error.
 * SIGINT and SIGTERM let what is in flight finish and write out what was recorded; a second one ends at once. Where it
 * is asked for, what was never served of the recording is reported then, and the exit code is 1.
 */
export async function serve(kind: Kind, argv: Readonly<Record<string, unknown>>): Promise<void> {
  const { config } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS[kind]);
  // From here on: a start that is half done would leave its lock behind.
  const stopped = stopSignal();
  const { createPatchgate } = await import('../app/patchgate.ts');
  const say = (text: string) => process.stderr.write(`patchgate: ${text}\n`);
  outliveReaders();
  for (const flag of HEAP_FLAGS) setFlagsFromString(flag);
  const gate = await createPatchgate(kind, config, {
    writeLog: (text) => process.stdout.write(text),
    isLogColoured: isColoured(process.stdout, process.env),
    notice: say,
    env: process.env,
  });
  let listening: Awaited<ReturnType<typeof gate.listen>>;
  try {
    listening = await gate.listen();
  } catch (error) {
    await gate.close();
    throw error;
  }
  say(`${version()} listens on ${listening.url}`);
  say(gate.summary);
  const hasControl = listening.isLoopback || config.controlToken !== undefined;
  const health = hasControl ? `; health: ${listening.url}/__patchgate/health` : '';
  say(`validation ${config.validation}, guard ${config.guard}${health}`);
  await stopped;
  try {
    // What is in flight is over then.
    await listening.close();
    const unserved = config.failUnused ? await gate.unserved() : undefined;
    if (unserved && reportUnserved(unserved, say)) process.exitCode = 1;
  } finally {
    await gate.close();
  }
  const recorded = gate.recorded();
  if (recorded !== undefined) say(recordedText(recorded, join(config.recordings, config.recording)));
}
