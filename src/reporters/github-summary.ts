import { fails, type Report } from './report.ts';
import type { ReporterOptions } from './reporter.ts';
import { repositoryPath } from './repository-path.ts';
import { markdown } from './sarif-rules.ts';
import { counting, placeOf } from './text-findings.ts';
import { summaryLine } from './text-summary.ts';
import { grouped, printable, shortened } from './wording.ts';

/** Rows of the table, characters of a cell, bytes of all rows: GitHub takes 1 MiB of a step, and nothing where it is more. */
const MOST_ROWS = 500;
const MOST_CHARACTERS = 300;
const MOST_BYTES = 400_000;

/**
 * For the page of a job on GitHub (`GITHUB_STEP_SUMMARY`): a table with the findings that count, errors first, in Markdown of less
 * than half a MiB.
 */
export function githubSummary(
  report: Report,
  { failOn, cwd, root }: Pick<ReporterOptions, 'failOn' | 'cwd' | 'root'>,
): string {
  const found = report.files.flatMap(({ file, subjects }) => {
    const path = repositoryPath(file, { cwd, root }) ?? file;
    return subjects.flatMap((subject) => counting(subject).map((finding) => ({ path, finding })));
  });
  const errors = found.filter(({ finding }) => finding.severity === 'error');
  const warnings = found.filter(({ finding }) => finding.severity === 'warn');
  const all = [...errors, ...warnings].slice(0, MOST_ROWS).map(({ path, finding }) => {
    const { severity, rule, message, hint } = finding;
    const said = hint === undefined ? message : `${message}; ${hint}`;
    return `| ${[severity, placeOf(path, finding), rule, said].map(cell).join(' | ')} |`;
  });
  let bytes = 0;
  const rows = all.filter((row) => {
    bytes += Buffer.byteLength(row);
    return bytes <= MOST_BYTES;
  });
  const more = found.length - rows.length;
  const remarks = (report.remarks ?? []).map(
    ({ severity, message, hint = '' }) => `- ${severity}: ${cell(`${message} ${hint}`)}`,
  );
  return [
    `### Patchgate: ${fails(report, failOn) ? 'failed' : 'passed'}`,
    cell(summaryLine(report)),
    ...(rows.length > 0
      ? [['| | Place | Rule | Finding |', '| --- | --- | --- | --- |', ...rows].join('\n')]
      : []),
    ...(more > 0 ? [`and ${grouped(more)} more`] : []),
    ...(remarks.length > 0 ? [remarks.slice(0, MOST_ROWS).join('\n')] : []),
  ]
    .join('\n\n')
    .concat('\n\n');
}

function cell(text: string): string {
  return markdown(printable(shortened(text, MOST_CHARACTERS)));
}
