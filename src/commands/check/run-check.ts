import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { isDriftRule } from '../../recordings/drift/drift-rules.ts';
import type { RedactionSettings } from '../../recordings/redaction/redaction.ts';
import { type CheckedFile, fails } from '../../reporters/report.ts';
import type { BodyMapping, Suppression } from '../../settings/extras.ts';
import { type BeforehandOptions, readBeforehand } from './history/beforehand.ts';
import { findInputs } from './inputs/find-inputs.ts';
import type { InputIo } from './inputs/read-input.ts';
import { withoutOwnFiles } from './inputs/without-own-files.ts';
import { judgeAll } from './judging/judge-all.ts';
import { checkOutputs, type ReportOutput } from './report/outputs.ts';
import type { ProgressIo } from './report/progress.ts';
import { settleReport } from './report/settle-report.ts';
import { type ReportIo, writeReports } from './report/write-reports.ts';

export interface CheckArgs extends BeforehandOptions {
  /** Files, folders, globs, names of recordings, `-`. */
  inputs: readonly string[];
  /** What a body is judged as, where its input does not say it. At most one of the two. */
  operation?: string | undefined;
  path?: string | undefined;
  /** The same by file, where neither is given. */
  bodies?: readonly BodyMapping[];
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

export interface CheckIo extends InputIo, ProgressIo, ReportIo {
  /** `2026-11-21` */
  readonly today: string;
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
  const { inputs, operation, path, outputs, failOn, suppressions = [] } = args;
  const found = await findInputs(inputs, {
    cwd: io.cwd,
    recordings: args.recordings,
    say: io.stderr?.bind(io),
  });
  const files = withoutOwnFiles(found, args, io.cwd);
  checkOutputs(outputs, [...files, args.baseline ?? []].flat(), io.cwd);
  const beforehand = await readBeforehand(args, io.cwd);
  const gate = await createGate();
  if (suppressions.length > 0)
    (await import('./known/suppress.ts')).checkSuppressedRules(suppressions, gate.rules);
  const judged = await judgeAll(
    gate,
    files,
    { operation, path, bodies: args.bodies },
    beforehand,
    io,
  ).finally(() => io.progress?.clear());
  const told = await withoutSecrets(judged, args.redaction);
  const report = await settleReport(told, {
    ...args,
    // Those of drift are for `verify`: here they would be of no use, and told of for that.
    suppressions: suppressions.filter(({ rule }) => !isDriftRule(rule)),
    cwd: io.cwd,
    today: io.today,
  });
  const hasBaseline =
    args.baseline !== undefined && !args.writeBaseline && args.againstContract === undefined;
  await writeReports({ ...report, rules: gate.rules }, outputs, io, { failOn, hasBaseline });
  return fails(report, failOn) ? 1 : 0;
}

/** Of a body that passes, by its operation alone, nothing is told that could hold one: it need not wait for the loading. */
async function withoutSecrets(files: CheckedFile[], settings: RedactionSettings | undefined) {
  const tells = files.some(
    ({ subjects, skipped }) =>
      skipped ||
      subjects.some(({ path, findings, effects }) => path !== undefined || findings.length > 0 || effects),
  );
  if (!tells) return files;
  const [{ hideSecrets }, { redactionOf }] = await Promise.all([
    import('./report/hide-secrets.ts'),
    import('../../recordings/redaction/redaction.ts'),
  ]);
  return hideSecrets(files, redactionOf(settings));
}

/** @throws PatchgateError `bad-usage` where some of them go ill together */
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
      {
        hint: 'give --path instead: --path /accounts/current/projects/42',
      },
    );
  }
}
