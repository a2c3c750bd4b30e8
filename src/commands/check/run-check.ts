import { resolve } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { isDriftRule } from '../../recordings/drift/drift-rules.ts';
import { type RedactionSettings, redactionOf } from '../../recordings/redaction/redaction.ts';
import { fails } from '../../reporters/report.ts';
import type { Suppression } from '../../settings/extras.ts';
import { buildReport } from './build-report.ts';
import { findInputs } from './find-inputs.ts';
import { hideSecrets } from './hide-secrets.ts';
import { type InitialStateOptions, readInitialState } from './history.ts';
import { type JudgedAs, judgeAll } from './judge.ts';
import { checkOutputs, type ReportOutput } from './outputs.ts';
import type { CheckIo } from './standard-io.ts';
import { checkSuppressedRules } from './suppress.ts';
import { writeReports } from './write-reports.ts';

export interface CheckArgs extends InitialStateOptions, JudgedAs {
  /** Files, folders, globs, names of recordings, `-`. */
  inputs: readonly string[];
  /** Folder with the recordings that can be given by name. */
  recordings?: string;
  /** Where the report goes, and how; at most one without a file. */
  outputs: readonly ReportOutput[];
  /** The severity from which on the exit code is 1. */
  failOn: 'error' | 'warn';
  baseline?: string | undefined;
  /** Absolute. */
  configFile?: string | undefined;
  writeBaseline?: boolean;
  suppressions?: readonly Suppression[];
  /** What no report and no baseline may hold. */
  redaction?: RedactionSettings;
  /** The contract with which the gate that is created compares. */
  againstContract?: string | undefined;
}

/**
 * Judges bodies, requests and recordings, and writes the report.
 *
 * @param createGate called once there is something to judge: loading a contract takes longer than all the rest
 * @returns the exit code: 0 clean, 1 findings at or above `failOn`
 * @throws PatchgateError where it could not judge everything; then nothing was written
 */
export async function runCheck(
  args: CheckArgs,
  io: CheckIo,
  createGate: () => Gate | Promise<Gate>,
): Promise<0 | 1> {
  checkArgs(args);
  const { outputs, failOn, suppressions = [], recordings, baseline, againstContract } = args;
  const { cwd } = io;
  const found = await findInputs(args.inputs, { cwd, recordings, say: io.stderr?.bind(io) });
  const files = withoutOwnFiles(found, args, cwd);
  checkOutputs(outputs, [...files, baseline ?? []].flat(), cwd);
  const initial = await readInitialState(args, cwd);
  const gate = await createGate();
  checkSuppressedRules(suppressions, gate.rules);
  const judged = await judgeAll(gate, files, args, initial, io).finally(() => io.progress?.clear());
  const report = await buildReport(hideSecrets(judged, redactionOf(args.redaction)), {
    ...args,
    // Those of drift are for `verify`: here they would be of no use, and told of for that.
    suppressions: suppressions.filter(({ rule }) => !isDriftRule(rule)),
    cwd,
    today: io.today,
  });
  const hasBaseline = baseline !== undefined && !args.writeBaseline && againstContract === undefined;
  await writeReports({ ...report, rules: gate.rules }, outputs, io, { failOn, hasBaseline });
  return fails(report, failOn) ? 1 : 0;
}

/** @throws PatchgateError `bad-usage` where some of them exclude each other */
function checkArgs({ operation, path, state }: CheckArgs): void {
  if (operation !== undefined && path !== undefined) {
    throw new PatchgateError('bad-usage', '--operation and --path cannot be given together', {
      hint: 'a path says which operation is meant',
    });
  }
  if (operation !== undefined && state !== undefined) {
    throw new PatchgateError(
      'bad-usage',
      '--operation does not say of which record a body is, so --state says nothing of it',
      { hint: 'give --path instead: --path /accounts/current/projects/42' },
    );
  }
}

/**
 * The files without the config file, the baseline, and what stands where this run writes its reports: those of the last run may well
 * lie in a folder that is judged. One that was named itself stays.
 *
 * @throws PatchgateError `bad-input` where there is nothing else
 */
export function withoutOwnFiles(
  files: readonly string[],
  {
    inputs,
    baseline,
    configFile,
    outputs,
  }: Pick<CheckArgs, 'inputs' | 'baseline' | 'configFile' | 'outputs'>,
  cwd: string,
): readonly string[] {
  const all = [baseline, configFile, ...outputs.map(({ file }) => file)];
  const own = new Set(all.flatMap((file) => (file === undefined ? [] : resolve(cwd, file))));
  const others = files.filter((file) => inputs.includes(file) || !own.has(resolve(cwd, file)));
  if (others.length > 0) return others;
  const message = 'there is nothing to judge but the config file, the baseline and reports';
  throw new PatchgateError('bad-input', message, { hint: 'give the folder of a recording, or of bodies' });
}
