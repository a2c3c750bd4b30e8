import { dirname, resolve } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import { type CheckedFile, type Remark, type Report, summaryOf } from '../../reporters/report.ts';
import { amount } from '../../reporters/wording.ts';
import type { Suppression } from '../../settings/extras.ts';

export interface BuildReportOptions {
  /** File with the findings that are known, relative to `cwd`; not asked where another contract is. */
  baseline?: string | undefined;
  /** Write the findings into the baseline instead of comparing them with it. */
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
export async function buildReport(
  judged: readonly CheckedFile[],
  options: BuildReportOptions,
): Promise<Report> {
  const { suppressions = [], baseline } = options;
  const comparison =
    options.againstContract === undefined ? undefined : await import('./compare-contracts.ts');
  let files = comparison?.finishComparison(judged) ?? judged;
  const remarks = [...remarkOnNothing(files), ...(comparison?.remarksOnLost(files) ?? [])];
  if (suppressions.length > 0) {
    const { applySuppressions } = await import('./suppress.ts');
    files = applySuppressions(files, suppressions, options);
  }
  const known: Remark[] = [];
  if (baseline !== undefined && !comparison) {
    const withBaseline = await applyBaseline(files, baseline, options);
    files = withBaseline.files;
    known.push(...withBaseline.remarks);
  }
  if (suppressions.length > 0 && !comparison) {
    // Where contracts are compared, a suppression may be of use for what the contract before says, too.
    const { remarksOn } = await import('./suppress.ts');
    remarks.push(...remarksOn(suppressions, files, options));
  }
  remarks.push(...known);
  return { files, ...(remarks.length > 0 && { remarks }) };
}

async function applyBaseline(
  files: readonly CheckedFile[],
  name: string,
  { writeBaseline: writes, cwd }: BuildReportOptions,
): Promise<{ files: readonly CheckedFile[]; remarks: Remark[] }> {
  const { countOf, suppressKnown, nameInBaseline, ofExistingFiles, readBaseline, writeBaseline } =
    await import('./baseline.ts');
  const file = resolve(cwd, name);
  const nameOf = (judged: string) => nameInBaseline(judged, cwd, file);
  const former = await readBaseline(file, name);
  if (writes) {
    const known = await writeBaseline(files, file, former ?? [], nameOf);
    const message = `wrote ${amount(countOf(known), 'finding')} to ${name}`;
    return { files: suppressKnown(files, known, nameOf).files, remarks: [{ severity: 'note', message }] };
  }
  if (!former) {
    throw new PatchgateError('bad-input', `the baseline ${name} does not exist`, {
      hint: 'write it with --write-baseline',
    });
  }
  const suppressed = suppressKnown(files, former, nameOf);
  const judged = new Set(files.map((one) => nameOf(one.file)));
  const others = former.filter((entry) => !judged.has(entry.file));
  // A file that comes back, under a name that another one had, is not to find its findings known.
  const gone = suppressed.gone + countOf(others) - countOf(await ofExistingFiles(others, dirname(file)));
  if (gone === 0) return { files: suppressed.files, remarks: [] };
  const remark: Remark = {
    severity: 'warn',
    message: `${name} holds ${amount(gone, 'finding')} that ${gone === 1 ? 'is' : 'are'} gone or suppressed`,
    hint: 'take them out with --write-baseline, so that they do not come back',
  };
  return { files: suppressed.files, remarks: [remark] };
}

/** A gate through which nothing goes is green for ever: a path may be misspelt. */
function remarkOnNothing(files: readonly CheckedFile[]): Remark[] {
  const { judged, unjudged, skipped } = summaryOf({ files });
  if (judged > 0 || skipped > 0) return [];
  const message =
    unjudged === 0
      ? 'nothing was judged: there are no requests'
      : `nothing was judged: none of ${amount(unjudged, 'request')} is for an operation of the contract`;
  const hint = 'check the paths and methods, and that these are the files that are meant';
  return [{ severity: 'warn', message, hint }];
}
