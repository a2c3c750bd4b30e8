import { resolve } from 'node:path';
import type { Suppression } from '../../../config/extras/check-suppressions.ts';
import { PatchgateError } from '../../../errors.ts';
import type { RedactionSettings } from '../../../recordings/redaction/redaction.ts';
import type { CheckedFile, Remark, Report } from '../../../reporters/report.ts';

export interface SettleOptions {
  /** File with the findings that are known, relative to `cwd`. */
  baseline?: string | undefined;
  /** Write the findings into the baseline instead of holding them against it. */
  writeBaseline?: boolean | undefined;
  suppressions?: readonly Suppression[] | undefined;
  /** The contract with which the gate compared: `comparing` of compare-contracts.ts. */
  againstContract?: string | undefined;
  /** What a baseline must not hold. */
  redaction?: RedactionSettings | undefined;
  cwd: string;
  /** `2026-11-21` */
  today: string;
}

/**
 * The report of what was judged: says of each finding whether it counts, and what became of suppressions and baseline. A finding
 * that is suppressed is not written into a baseline.
 *
 * @throws PatchgateError `bad-input` where the baseline is missing or broken, `cannot-write`
 */
export async function settleReport(judged: readonly CheckedFile[], options: SettleOptions): Promise<Report> {
  const { suppressions = [] } = options;
  const compares = options.againstContract !== undefined;
  const compared = compares
    ? (await import('../contracts/compare-contracts.ts')).settleComparison(judged)
    : judged;
  if (suppressions.length === 0 && options.baseline === undefined) return { files: compared };
  const suppressing = await import('../known/suppress.ts');
  const suppressed = suppressing.excuseSuppressed(compared, suppressions, options);
  const { files, remarks } = await settleKnown(suppressed, options);
  // Of what the contract before said, too, nothing is said here: no suppression is of use for it.
  const told = compares ? [] : suppressing.remarksOn(suppressions, files, options);
  return { files, remarks: [...told, ...remarks] };
}

async function settleKnown(
  files: readonly CheckedFile[],
  { baseline: name, writeBaseline: writes, redaction, cwd }: SettleOptions,
): Promise<{ files: readonly CheckedFile[]; remarks: Remark[] }> {
  if (name === undefined) return { files, remarks: [] };
  const [{ nameInBaseline, readBaseline }, { excuseKnown }] = await Promise.all([
    import('../known/baseline.ts'),
    import('../known/excuse-known.ts'),
  ]);
  const file = resolve(cwd, name);
  const nameOf = (judged: string) => nameInBaseline(judged, cwd, file);
  const former = await readBaseline(file, name);
  if (writes) {
    const [{ writeBaseline }, { redactionOf }] = await Promise.all([
      import('../known/write-baseline.ts'),
      import('../../../recordings/redaction/redaction.ts'),
    ]);
    const known = await writeBaseline(files, file, former ?? [], nameOf, redactionOf(redaction));
    const count = known.reduce((total, entry) => total + (entry.count ?? 1), 0);
    const message = `wrote ${findings(count)} to ${name}`;
    return { files: excuseKnown(files, known, nameOf).files, remarks: [{ severity: 'note', message }] };
  }
  if (!former) {
    throw new PatchgateError('bad-input', `the baseline ${name} does not exist`, {
      hint: 'write it with --write-baseline',
    });
  }
  const { files: excused, gone } = excuseKnown(files, former, nameOf);
  if (gone === 0) return { files: excused, remarks: [] };
  const remark: Remark = {
    severity: 'warn',
    message: `${name} holds ${findings(gone)} that ${gone === 1 ? 'is' : 'are'} gone or suppressed`,
    hint: 'take them out with --write-baseline, so that they do not come back',
  };
  return { files: excused, remarks: [remark] };
}

function findings(count: number): string {
  return count === 1 ? '1 finding' : `${count} findings`;
}
