import { resolve } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { type RedactionSettings, redactionOf } from '../../recordings/redact/redaction.ts';
import { type CheckedFile, fails, type Remark, type Report, summaryOf } from '../../reporters/report.ts';
import { amount } from '../../reporters/wording.ts';
import { findInputs } from './find-inputs.ts';
import { hideSecrets } from './hide-secrets.ts';
import { judgeAll } from './judge.ts';
import type { JudgedAs } from './operation.ts';
import { checkOutputs, type ReportOutput } from './outputs.ts';
import type { CheckIo } from './standard-io.ts';
import { writeReports } from './write-reports.ts';

export interface CheckArgs extends JudgedAs {
  /** Files, folders, globs, names of recordings, `-`. */
  inputs: readonly string[];
  /** Folder with the recordings that can be given by name. */
  recordings?: string;
  /** Where the report goes, and how; at most one without a file. */
  outputs: readonly ReportOutput[];
  /** The severity from which on the exit code is 1. */
  failOn: 'error' | 'warn';
  /** Absolute. */
  configFile?: string | undefined;
  /** What no report may hold. */
  redaction?: RedactionSettings;
}

/**
 * Judges bodies, recordings and HTTP archives, and writes the report.
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
  const { operation, path, outputs, failOn, recordings } = args;
  if (operation !== undefined && path !== undefined) {
    throw new PatchgateError('bad-usage', '--operation and --path cannot be given together', {
      hint: 'a path says which operation is meant',
    });
  }
  const found = await findInputs(args.inputs, { cwd: io.cwd, recordings, say: io.stderr?.bind(io) });
  const files = withoutOwnFiles(found, args, io.cwd);
  checkOutputs(outputs, files, io.cwd);
  const gate = await createGate();
  const judged = await judgeAll(gate, files, args, io).finally(() => io.progress?.clear());
  const report: Report = {
    files: hideSecrets(judged, redactionOf(args.redaction)),
    rules: gate.rules,
    remarks: remarksOn(judged),
  };
  await writeReports(report, outputs, io, failOn);
  return fails(report, failOn) ? 1 : 0;
}

/**
 * The files without the config file, and what stands where this run writes its reports: those of the last run may well lie in a
 * folder that is judged. One that was named itself stays.
 *
 * @throws PatchgateError `bad-input` where there is nothing else
 */
export function withoutOwnFiles(
  files: readonly string[],
  { inputs, configFile, outputs }: Pick<CheckArgs, 'inputs' | 'configFile' | 'outputs'>,
  cwd: string,
): readonly string[] {
  const all = [configFile, ...outputs.map(({ file }) => file)];
  const own = new Set(all.flatMap((file) => (file === undefined ? [] : resolve(cwd, file))));
  const others = files.filter((file) => inputs.includes(file) || !own.has(resolve(cwd, file)));
  if (others.length > 0) return others;
  const message = 'there is nothing to judge but the config file and reports';
  throw new PatchgateError('bad-input', message, { hint: 'give the folder of a recording, or of bodies' });
}

/** Nothing judged is green for ever, if a path is misspelt; and a guess may be wrong. */
function remarksOn(files: readonly CheckedFile[]): Remark[] {
  const guesses = new Map<string, string[]>();
  for (const { file, taken } of files) {
    if (taken === undefined) continue;
    const names = guesses.get(taken) ?? [];
    guesses.set(taken, names);
    names.push(file);
  }
  const remarks = [...guesses].map(([taken, names]): Remark => {
    const listed = `${names.slice(0, 5).join(', ')}${names.length > 5 ? `, and ${names.length - 5} more` : ''}`;
    return { severity: 'note', message: `judged as ${taken}: ${listed}` };
  });
  const { judged, unjudged, skipped } = summaryOf({ files });
  if (judged > 0 || skipped > 0) return remarks;
  const message =
    unjudged === 0
      ? 'nothing was judged: there are no requests'
      : `nothing was judged: none of ${amount(unjudged, 'request')} is for an operation of the contract`;
  const hint = 'check the paths and methods, and that these are the files that are meant';
  return [...remarks, { severity: 'warn', message, hint }];
}
