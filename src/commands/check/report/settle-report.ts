import { dirname, resolve } from 'node:path';
import { PatchgateError } from '../../../errors.ts';
import { type CheckedFile, type Remark, type Report, summaryOf } from '../../../reporters/report.ts';
import { amount } from '../../../reporters/wording.ts';
import type { Suppression } from '../../../settings/extras.ts';
import type { KnownFindings } from '../known/baseline.ts';

export interface SettleOptions {
  /** File with the findings that are known, relative to `cwd`; not asked where another contract is. */
  baseline?: string | undefined;
  /** Write the findings into the baseline instead of holding them against it. */
  writeBaseline?: boolean | undefined;
  suppressions?: readonly Suppression[] | undefined;
  /** The contract with which the gate compared: `comparing` of compare-contracts.ts. */
  againstContract?: string | undefined;
  cwd: string;
  /** `2026-11-21` */
  today: string;
}

/**
 * The report of what was judged: says of each finding whether it counts, and what became of suppressions and baseline. A finding
 * that is suppressed is not written into a baseline.
 *
 * @param judged with their secrets hidden
 * @throws PatchgateError `bad-input` where the baseline is missing or broken, `cannot-write`
 */
export async function settleReport(judged: readonly CheckedFile[], options: SettleOptions): Promise<Report> {
  const { suppressions = [] } = options;
  const compares = options.againstContract !== undefined;
  const comparison = compares ? await import('../contracts/compare-contracts.ts') : undefined;
  const compared = comparison?.settleComparison(judged) ?? judged;
  const counted = [...remarkOnNothing(compared), ...(comparison?.remarksOnLost(compared) ?? [])];
  const baseline = compares ? undefined : options.baseline;
  if (suppressions.length === 0 && baseline === undefined)
    return { files: compared, ...(counted.length > 0 && { remarks: counted }) };
  const suppressing = await import('../known/suppress.ts');
  const suppressed = suppressing.excuseSuppressed(compared, suppressions, options);
  const { files, remarks } = await settleKnown(suppressed, { ...options, baseline });
  // Of what the contract before said, too, nothing is said here: no suppression is of use for it.
  const told = compares ? [] : suppressing.remarksOn(suppressions, files, options);
  return { files, remarks: [...counted, ...told, ...remarks] };
}

async function settleKnown(
  files: readonly CheckedFile[],
  { baseline: name, writeBaseline: writes, cwd }: SettleOptions,
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
    const { writeBaseline } = await import('../known/write-baseline.ts');
    const known = await writeBaseline(files, file, former ?? [], nameOf);
    const message = `wrote ${amount(countOf(known), 'finding')} to ${name}`;
    return { files: excuseKnown(files, known, nameOf).files, remarks: [{ severity: 'note', message }] };
  }
  if (!former) {
    throw new PatchgateError('bad-input', `the baseline ${name} does not exist`, {
      hint: 'write it with --write-baseline',
    });
  }
  const { files: excused, gone: goneOfJudged } = excuseKnown(files, former, nameOf);
  const judged = new Set(files.map((one) => nameOf(one.file)));
  const others = former.filter((entry) => !judged.has(entry.file));
  const { thoseOfFiles } = await import('../known/those-of-files.ts');
  // A file that comes back, under a name that another one had, is not to find its findings known.
  const gone = goneOfJudged + countOf(others) - countOf(await thoseOfFiles(others, dirname(file)));
  if (gone === 0) return { files: excused, remarks: [] };
  const remark: Remark = {
    severity: 'warn',
    message: `${name} holds ${amount(gone, 'finding')} that ${gone === 1 ? 'is' : 'are'} gone or suppressed`,
    hint: 'take them out with --write-baseline, so that they do not come back',
  };
  return { files: excused, remarks: [remark] };
}

/** A gate through which nothing goes is green for ever: a path may be misspelt. */
function remarkOnNothing(files: readonly CheckedFile[]): Remark[] {
  const { judged, unjudged, skipped } = summaryOf({ files });
  if (judged > 0 || skipped > 0) return [];
  const message =
    unjudged === 0
      ? 'nothing was judged: there are no requests'
      : `nothing was judged: none of ${amount(unjudged, 'request')} is for an operation of the contract`;
  return [
    {
      severity: 'warn',
      message,
      hint: 'check the paths and methods, and that these are the files that are meant',
    },
  ];
}

function countOf(known: readonly KnownFindings[]): number {
  return known.reduce((total, { count = 1 }) => total + count, 0);
}
