import { type Paint, SEVERITY_COLOURS } from './colours.ts';
import { type CountedFinding, type Report, type Skipped, summaryOf } from './report.ts';
import { amount, grouped, visible } from './wording.ts';

/** How often each rule found something, the most frequent first: count, severity, rule and what it says. */
export function rulesText(report: Report, paint: Paint): string {
  const counts = new Map<string, CountedFinding>();
  const add = ({ rule, severity, excuse }: Omit<CountedFinding, 'count'>, times: number) => {
    if (excuse) return;
    const key = `${severity} ${rule}`;
    counts.set(key, { rule, severity, count: (counts.get(key)?.count ?? 0) + times });
  };
  for (const { subjects, further } of report.files) {
    for (const { findings } of subjects) for (const finding of findings) add(finding, 1);
    for (const finding of further?.findings ?? []) add(finding, finding.count);
  }
  const says = new Map(report.rules?.map((rule) => [rule.name, rule.says]));
  const isWarning = ({ severity }: CountedFinding) => Number(severity === 'warn');
  const rows = [...counts.values()].sort((a, b) => b.count - a.count || isWarning(a) - isWarning(b));
  const widths = {
    count: Math.max(...rows.map(({ count }) => grouped(count).length)),
    rule: Math.max(...rows.map(({ rule }) => rule.length)),
  };
  return rows
    .map(({ count, severity, rule }) => {
      const level = paint(SEVERITY_COLOURS[severity], severity.padEnd('error'.length));
      const said = paint('grey', visible(says.get(rule) ?? ''));
      return `  ${grouped(count).padStart(widths.count)}  ${level}  ${visible(rule).padEnd(widths.rule)}  ${said}`.trimEnd();
    })
    .join('\n');
}

/** One line for all. */
export function summaryLine(report: Report): string {
  if (report.command === 'verify') return driftLine(report);
  const { files, judged, unjudged, skipped, blocked, ...counts } = summaryOf(report);
  const { errors, warnings, known, suppressed, unchanged, breaks, allows = 0 } = counts;
  const not = [
    ...(known > 0 ? [`${grouped(known)} in the baseline`] : []),
    ...(suppressed > 0 ? [`${grouped(suppressed)} suppressed`] : []),
    ...(unchanged > 0 ? [`${grouped(unchanged)} as under the contract before`] : []),
  ];
  const omitted = omittedOf(report);
  const found =
    errors + warnings + omitted === 0
      ? `no ${not.length > 0 ? 'new ' : ''}findings`
      : `${amount(errors, 'error')}, ${amount(warnings, 'warning')}${omitted > 0 ? `, ${grouped(omitted)} more` : ''}`;
  const requests = [
    `${amount(judged, 'request')} judged`,
    `${grouped(blocked)} would be blocked`,
    ...(breaks === undefined
      ? []
      : [`${grouped(breaks)} newly rejected`, `${grouped(allows)} newly allowed`]),
    ...(unjudged > 0 ? [`${grouped(unjudged)} not concerned`] : []),
    ...(skipped > 0 ? [`${grouped(skipped)} not judged`] : []),
    `in ${amount(files, 'file')}`,
  ];
  return `${found}${not.length > 0 ? ` (${not.join(', ')})` : ''}: ${requests.join(', ')}`;
}

/** The same of what was sent again. */
function driftLine(report: Report): string {
  const {
    files,
    judged,
    unjudged,
    skipped,
    blocked,
    errors,
    warnings,
    suppressed,
    updated = 0,
  } = summaryOf(report);
  const omitted = omittedOf(report);
  const not = [
    ...(updated > 0 ? [`${grouped(updated)} taken into the recording`] : []),
    ...(suppressed > 0 ? [`${grouped(suppressed)} suppressed`] : []),
  ];
  const found =
    errors + warnings + omitted === 0
      ? `no ${not.length > 0 ? 'further ' : ''}drift`
      : `${amount(errors, 'error')}, ${amount(warnings, 'warning')}${omitted > 0 ? `, ${grouped(omitted)} more` : ''}`;
  const unsent = unjudged + skipped + blocked;
  const requests = [
    `${amount(judged - blocked, 'request')} sent`,
    ...(unsent > 0 ? [`${grouped(unsent)} not sent`] : []),
    `of ${amount(files, 'file')}`,
  ];
  return `${found}${not.length > 0 ? ` (${not.join(', ')})` : ''}: ${requests.join(', ')}`;
}

/** Findings that were left out, and count. */
function omittedOf({ files }: Report): number {
  let omitted = 0;
  for (const { subjects, further } of files) {
    for (const subject of subjects) if (!subject.omittedExcuse) omitted += subject.omitted;
    omitted += further?.omitted ?? 0;
  }
  return omitted;
}

/** Requests that are named for each reason. */
const MOST_SKIPPED = 5;

/** Which requests could not be judged, by the reason. */
export function skippedText({ files, command }: Report): string {
  const what = command === 'verify' ? 'Not sent' : 'Not judged';
  const byReason = new Map<string, string[]>();
  for (const { file, skipped = [] } of files) {
    for (const request of skipped) {
      const lines = byReason.get(request.why) ?? [];
      byReason.set(request.why, lines);
      lines.push(skippedLine(file, request));
    }
  }
  return [...byReason]
    .map(([why, lines]) => {
      const more = lines.length - MOST_SKIPPED;
      return [
        `${what}, ${amount(lines.length, 'request')}: ${visible(why)}`,
        ...lines.slice(0, MOST_SKIPPED),
        ...(more > 0 ? [`  and ${grouped(more)} more: -f json has them all`] : []),
      ].join('\n');
    })
    .join('\n\n');
}

function skippedLine(file: string, { line, method, path, pointer }: Skipped): string {
  return visible(`  ${line === undefined ? file : `${file}:${line}`}  ${method} ${path} (${pointer})`);
}

export function remarksText({ remarks = [] }: Report, paint: Paint): string {
  return remarks
    .map(({ severity, message, hint }) => {
      const level = severity === 'note' ? severity : paint(SEVERITY_COLOURS[severity], severity);
      return `${level}: ${visible(message)}${hint === undefined ? '' : `\n  hint: ${visible(hint)}`}`;
    })
    .join('\n');
}
