import type { BodyMapping } from '../../config/extras/check-bodies.ts';
import type { Suppression } from '../../config/extras/check-suppressions.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate.ts';
import { fails } from '../../reporters/report.ts';
import { type BeforehandOptions, readBeforehand } from './beforehand.ts';
import { findInputs } from './find-inputs.ts';
import { judgeAll } from './judge-all.ts';
import type { InputIo } from './read-input.ts';
import { settleReport } from './settle-report.ts';
import { type ReportIo, type ReportOutput, writeReports } from './write-reports.ts';

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
  writeBaseline?: boolean;
  suppressions?: readonly Suppression[];
}

export interface CheckIo extends InputIo, ReportIo {
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
  const { inputs, operation, path, outputs, failOn, baseline, writeBaseline, suppressions } = args;
  const files = await findInputs(inputs, io.cwd);
  const beforehand = await readBeforehand(args, io.cwd);
  const gate = await createGate();
  const checked = await judgeAll(gate, files, { operation, path }, beforehand, io);
  const report = await settleReport(checked, {
    ...{ baseline, writeBaseline, suppressions },
    cwd: io.cwd,
    today: io.today,
  });
  await writeReports(report, outputs, io);
  return fails(report, failOn) ? 1 : 0;
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
