import type { CommandModule } from 'yargs';
import { isOnCi, replayOrRecord } from '../app/modes.ts';
import { createPatchgate, type Patchgate } from '../app/patchgate.ts';
import { missesText } from '../app/run-text.ts';
import { messageOf, PatchgateError } from '../errors.ts';
import { losesEnvironment } from '../model/effect.ts';
import type { Verdict } from '../model/finding.ts';
import { hintWith } from '../recordings/explain.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { type Config, resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import {
  type Ended,
  exitCodeOf,
  pastProxies,
  runCommand,
  Signals,
  URL_VARIABLE,
  variablesOf,
} from './exec/run-command.ts';
import { all } from './given.ts';
import { flagsOf, PROXYING, takesText, withSettings } from './options.ts';
import { ignoreBrokenPipe, runtimeContext, say } from './output.ts';
import { reportUnserved, sayRecorded } from './serve.ts';

export const exec: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [...PROXYING.filter((name) => name !== 'ui'), 'target'])
      .option('port', { defaultDescription: 'a free one' })
      .option('log', { defaultDescription: 'off' })
      .usage('$0 exec [options] -- COMMAND\n\nRuns a command against a recording, at PATCHGATE_URL.')
      .positional('command', { type: 'string', array: true })
      .hide('command')
      // Before the options are checked: some may be those of the command.
      .middleware(({ command }) => {
        const words = command as string[];
        if (words.length > 0)
          throw new PatchgateError('bad-usage', `unexpected argument ${JSON.stringify(words[0])}`, {
            hint: `put -- before the command: patchgate exec [options] -- ${words.join(' ')}`,
          });
      }, true)
      .option('env', takesText('Another variable that holds the URL, with a suffix: BASE_URL=/api/v2'))
      .example('$0 exec --recording checkout -- npm test', 'offline')
      .example('$0 exec --record --target URL -- npm test', 'record what the tests ask for'),
  handler: async (argv) => {
    const command = (argv['--'] ?? []) as string[];
    if (!command[0])
      throw new PatchgateError('bad-usage', 'no command is given', {
        hint: 'it stands behind --: patchgate exec --recording checkout -- npm test',
      });
    const variables = all(argv.env as string | string[] | undefined);
    process.exitCode = await runExec(command, flagsOf(argv), variables);
  },
};

/** Defaults without a flag: several may run at a time, and each learns of the service for itself. */
const OWN = { port: 0, log: 'off', state: false };
const AGAIN = 'the same command with';

/**
 * Runs a command against a recording, or records what it asks for. All that we say goes to standard error.
 *
 * @returns 2 if Patchgate itself could not answer a request, else the command's exit code. A command that ends with 0 gives 1 if
 *   requests had no answer in the recording or, with `failUnused`, if exchanges were never served
 * @throws PatchgateError if the command was not run, or ended with 0 and something could not be kept
 */
async function runExec(
  command: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  variables: readonly string[],
): Promise<number> {
  // They are wrong before anything starts.
  variablesOf(variables, '');
  const resolved = await resolveConfig({ ...OWN, ...flags }, COMMAND_DEFAULTS.exec);
  ignoreBrokenPipe();
  const { kind, config: found } = replayOrRecord(resolved);
  const config = { ...found, ui: undefined };
  const signals = new Signals();
  let ended: Ended | undefined;
  let isFailure = false;
  let failed = 0;
  try {
    const gate = await createPatchgate(kind, config, runtimeContext(process.stderr));
    try {
      const isRecording = gate.store?.isWritable === true;
      if (isRecording) say(gate.summary);
      if (signals.first) return exitCodeOf(signals.first);
      const { url } = gate;
      const env = { ...process.env, ...pastProxies(process.env, url), ...variablesOf(variables, url) };
      ended = await runCommand(command, env, signals);
      // Requests in flight end first.
      await gate.stop();
      if (ended.failure !== undefined) say(ended.failure);
      else isFailure = await reportRun(gate, ended, config, isRecording);
      failed = gate.counts.failed;
    } finally {
      await gate.close();
    }
    sayRecorded(gate, config);
  } catch (error) {
    // The command's own code says more than ours.
    if (!ended || ended.code === 0) throw error;
    say(messageOf(error));
  } finally {
    signals.release();
  }
  if (failed > 0) return 2;
  return ended.code === 0 && isFailure ? 1 : ended.code;
}

/** Says what went wrong between a command and the gate. @returns whether that is a failure, whatever the command says */
async function reportRun(
  gate: Patchgate,
  { code, isKilled }: Ended,
  { recording, failUnused }: Config,
  isRecording: boolean,
): Promise<boolean> {
  const record = `${isOnCi(process.env) ? 'outside CI, ' : ''}${AGAIN} --record new_episodes --target URL`;
  const misses = missesText(gate.replay?.misses.list(), (hint) => hintWith(hint, recording, record));
  const hasMissed = misses !== undefined;
  const exchanges = [...gate.exchanges.list({ bodies: false })];
  // A command may well live with a target that fails, but what was recorded has no answer for it, and a replay would miss it.
  const isHalf = (gate.unrecorded?.count ?? 0) > 0;
  const refused = refusedTexts(exchanges, code !== 0 || isRecording);
  for (const text of [misses, ...refused]) if (text) say(text);
  // An interrupted command has not asked for all.
  if (isKilled) return hasMissed;
  if (gate.counts.requests === 0)
    say(`the command sent no request: its base URL must come from ${URL_VARIABLE}, or a variable of --env`);
  const isUnused = await reportUnserved(gate, failUnused);
  return hasMissed || isUnused || isHalf;
}

/** Texts that are shown. */
const MOST = 5;

/** The requests that were blocked, or failed on their way, and why; alike ones are one. Misses are told elsewhere. */
function refusedTexts(exchanges: readonly ShownExchange[], withFailures: boolean): string[] {
  const counts = new Map<string, number>();
  for (const { answeredBy, request, response, verdict, failure } of exchanges) {
    const isRefused = verdict?.outcome === 'block' || (withFailures && failure !== undefined);
    if (answeredBy !== 'gate' || !isRefused || response === undefined || response.status === 501) continue;
    const error = verdict?.findings.find(({ severity }) => severity === 'error');
    const why = failure ?? (error ? `${error.rule}: ${error.message}` : '');
    const remedy = verdict?.problem === 'destructive-change' ? `\n  ${remedyOf(verdict)}` : '';
    const text = `the gate answered ${request.method} ${request.url} with ${response.status}: ${why}${remedy}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const all = [...counts].map(([text, count]) =>
    count > 1 ? text.replace(/$/m, ` (${count} times)`) : text,
  );
  const more = all.length - MOST;
  const rest = more > 0 ? [`${more} further kinds of requests were refused`] : [];
  return [...all.slice(0, MOST).reverse(), ...rest];
}

function remedyOf({ effects = [] }: Verdict): string {
  const lost = effects.filter(losesEnvironment);
  if (lost.some((effect) => effect.protected)) return 'it is protected: nothing deletes it through this gate';
  const names = [...new Set(lost.map(({ name }) => name))];
  const isPlain = names.length > 0 && names.every((name) => /^[\w.-][\w. -]{0,99}$/.test(name));
  const allowed = isPlain ? `--allow-delete '${names.join(',')}', or with ` : '';
  return `if it is meant to go: ${AGAIN} ${allowed}--no-guard`;
}
