import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate.ts';
import { json } from '../../reporters/json.ts';
import { type Report, summaryOf } from '../../reporters/report.ts';
import { text } from '../../reporters/text.ts';
import { type BeforehandOptions, readBeforehand } from './beforehand.ts';
import { findInputs } from './find-inputs.ts';
import { judgeAll } from './judge-all.ts';
import type { InputIo } from './read-input.ts';

const REPORTERS = { text, json };
export type Format = keyof typeof REPORTERS;

export interface CheckArgs extends BeforehandOptions {
  /** Files, folders, `-`. */
  inputs: readonly string[];
  /** What a body is judged as; recordings say it themselves. At most one of the two. */
  operation?: string | undefined;
  path?: string | undefined;
  format: Format;
  /** The severity from which on the exit code is 1. */
  failOn: 'error' | 'warn';
}

export interface CheckIo extends InputIo {
  /** Takes the whole report. */
  stdout(text: string): void | Promise<void>;
}

/**
 * Judges JSON bodies and recordings, and writes one report.
 *
 * @param createGate called once there is something to judge: loading a contract takes longer than all the rest
 * @returns the exit code: 0 clean, 1 findings at or above `failOn`
 * @throws PatchgateError where it could not judge everything; then nothing was written
 */
export async function runCheck(
  { inputs, operation, path, format, failOn, ...known }: CheckArgs,
  io: CheckIo,
  createGate: () => Gate | Promise<Gate>,
): Promise<0 | 1> {
  if (operation !== undefined && path !== undefined) {
    throw new PatchgateError('bad-usage', '--operation and --path cannot be given together', {
      hint: 'a path says which operation is meant',
    });
  }
  if (operation !== undefined && known.state !== undefined) {
    throw new PatchgateError(
      'bad-usage',
      '--operation does not say of which record a body is, so --state says nothing of it',
      {
        hint: 'give --path instead: --path /accounts/current/projects/42',
      },
    );
  }
  const files = await findInputs(inputs, io.cwd);
  const beforehand = await readBeforehand(known, io.cwd);
  const gate = await createGate();
  const report: Report = { files: await judgeAll(gate, files, { operation, path }, beforehand, io) };
  await io.stdout(REPORTERS[format](report));
  return fails(report, failOn) ? 1 : 0;
}

/** What would be blocked fails in any case: its error may be among the findings that were left out. */
function fails(report: Report, failOn: 'error' | 'warn'): boolean {
  const { errors, warnings, blocked } = summaryOf(report);
  return errors > 0 || blocked > 0 || (failOn === 'warn' && warnings > 0);
}
