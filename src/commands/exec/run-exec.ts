import { join } from 'node:path';
import { createPatchgate } from '../../app/patchgate.ts';
import { replayOrRecord, type Wording } from '../../app/replay-or-record.ts';
import { messageOf, PatchgateError } from '../../errors.ts';
import { noticeText, recordedText } from '../../reporters/wording.ts';
import { resolveConfig } from '../../settings/config.ts';
import { COMMAND_DEFAULTS } from '../../settings/settings.ts';
import { isColoured } from '../is-coloured.ts';
import { outliveReaders } from '../outlive-readers.ts';
import type { Command } from './command-of.ts';
import { reportRun } from './report-run.ts';
import { type Ended, runCommand } from './run-command.ts';
import { exitCodeOf, Signals } from './signals.ts';
import { pastProxies, variablesOf } from './variables.ts';

/** Where no flag says otherwise: several may run at a time, and what is learnt of the service is for this run alone. */
const OWN = { port: 0, log: 'off', state: '' };

export interface Execution {
  command: Command;
  /** As `flagsOf` gives them. */
  flags: Readonly<Record<string, unknown>>;
  /** Of `--env`. */
  variables: readonly string[];
  /** Whether all that was never served is listed. */
  isVerbose: boolean;
}

/**
 * Runs a command against a recording, or records what it asks for. All that we say goes to standard error.
 *
 * @returns the command's exit code; where that is 0, 1 where requests had no answer in the recording, or, if that is asked
 *   for, where exchanges were never served or requests were blocked
 * @throws PatchgateError where the command was not run, or ended with 0 and something could not be kept
 */
export async function runExec({ command, flags, variables, isVerbose }: Execution): Promise<number> {
  // They are wrong before anything starts.
  variablesOf(variables, '');
  const resolved = await resolveConfig({ ...OWN, ...flags }, COMMAND_DEFAULTS.exec);
  outliveReaders();
  const { kind, config } = await replayOrRecord(resolved, process.env, say, WORDING);
  const signals = new Signals();
  let ended: Ended | undefined;
  let isFailure = false;
  try {
    const gate = await createPatchgate(kind, config, {
      writeLog: (text) => process.stderr.write(text),
      isLogColoured: isColoured(process.stderr, process.env),
      notice: say,
      env: process.env,
    });
    try {
      const listening = await gate.listen();
      const summary = kind === 'proxy' ? gate.summary : gate.faults.summary;
      if (summary) say(summary);
      if (signals.first) return exitCodeOf(signals.first);
      const { url } = listening;
      const env = { ...process.env, ...pastProxies(process.env, url), ...variablesOf(variables, url) };
      ended = await runCommand(command, env, signals);
      // What is in flight is over then.
      await listening.close();
      if (ended.failure !== undefined) say(ended.failure);
      else
        isFailure = await reportRun(gate, ended, {
          ...config,
          isRecording: kind === 'proxy',
          isVerbose,
          say,
        });
    } finally {
      await gate.close(ended?.code !== 0 || gate.misses().count > 0);
    }
    const recorded = gate.recorded();
    if (recorded !== undefined) say(recordedText(recorded, join(config.recordings, config.recording)));
  } catch (error) {
    // The command's own code says more than ours.
    if (!ended || ended.code === 0) throw error;
    say(
      error instanceof PatchgateError && error.hint ? `${error.message}\n  ${error.hint}` : messageOf(error),
    );
  } finally {
    signals.release();
  }
  return ended.code === 0 && isFailure ? 1 : ended.code;
}

const WORDING: Wording = {
  flag: (name) => `--${name}`,
  target: 'give it with --target URL',
  record: 'record it: the same command with --record all --target URL',
};

function say(text: string): void {
  process.stderr.write(noticeText(text));
}
