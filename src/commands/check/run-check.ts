import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate.ts';
import { json } from '../../reporters/json.ts';
import { type CheckedFile, type Report, summaryOf } from '../../reporters/report.ts';
import { text } from '../../reporters/text.ts';
import { findInputs } from './find-inputs.ts';
import { judgeBody } from './judge-body.ts';
import { judgeRecording } from './judge-recording.ts';
import { readInput } from './read-input.ts';

const REPORTERS = { text, json };
export type Format = keyof typeof REPORTERS;

export interface CheckArgs {
  /** Files, folders, `-`. */
  inputs: readonly string[];
  /** What a body is judged as; recordings say it themselves. At most one of the two. */
  operation?: string | undefined;
  path?: string | undefined;
  format: Format;
  /** The severity from which on the exit code is 1. */
  failOn: 'error' | 'warn';
}

export interface CheckIo {
  /** Takes the whole report. */
  stdout(text: string): void | Promise<void>;
  /** Asked for only where it is to be read. */
  readonly stdin: AsyncIterable<Buffer>;
  readonly cwd: string;
}

/**
 * Judges JSON bodies and recordings, and writes one report.
 *
 * @param createGate called once there is something to judge: loading a contract takes longer than all the rest
 * @returns the exit code: 0 clean, 1 findings at or above `failOn`
 * @throws PatchgateError where it could not judge everything; then nothing was written
 */
export async function runCheck(
  { inputs, operation, path, format, failOn }: CheckArgs,
  io: CheckIo,
  createGate: () => Gate | Promise<Gate>,
): Promise<0 | 1> {
  if (operation !== undefined && path !== undefined) {
    throw new PatchgateError('bad-usage', '--operation and --path cannot be given together', {
      hint: 'a path says which operation is meant',
    });
  }
  const files = await findInputs(inputs, io.cwd);
  const gate = await createGate();
  const checked: CheckedFile[] = [];
  for (const file of files) {
    const input = await readInput(file, io, gate.bodyLimit);
    checked.push(
      input.kind === 'recording' ? judgeRecording(gate, input) : judgeBody(gate, input, { operation, path }),
    );
  }
  const report: Report = { files: checked };
  await io.stdout(REPORTERS[format](report));
  return fails(report, failOn) ? 1 : 0;
}

/** What would be blocked fails in any case: its error may be among the findings that were left out. */
function fails(report: Report, failOn: 'error' | 'warn'): boolean {
  const { errors, warnings, blocked } = summaryOf(report);
  return errors > 0 || blocked > 0 || (failOn === 'warn' && warnings > 0);
}
