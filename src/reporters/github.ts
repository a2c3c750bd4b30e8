import {
  distinctFindings,
  errorsFirst,
  exitCodeOf,
  type Found,
  placeOf,
  type Report,
  type ReporterOptions,
  repositoryPath,
} from './report.ts';
import { summaryLine, text } from './text.ts';
import { amount, countText, sanitize } from './wording.ts';

const LEVELS = { error: 'error', warn: 'warning', note: 'notice' } as const;

/** GitHub shows ten of each level in a step, and drops further ones. */
const MOST_ANNOTATIONS = 10;

/**
 * For GitHub Actions: annotations as workflow commands, ten of each level at most, and a line for all.
 * (https://docs.github.com/actions/reference/workflow-commands-for-github-actions)
 */
export function github(report: Report, options: ReporterOptions): string {
  const found = report.files.flatMap(({ file, subjects }) => distinctFindings(file, subjects));
  const all = [
    ...errorsFirst(found).map((one) => ofFinding(one, options)),
    ...(report.remarks ?? []).map(({ severity, message, hint }) =>
      annotation(LEVELS[severity], { title: 'patchgate' }, withHint(message, hint)),
    ),
  ];
  const shown = all.filter(
    ({ level }, i) => all.slice(0, i).filter((one) => one.level === level).length < MOST_ANNOTATIONS,
  );
  const left = all.length - shown.length;
  const cut = `; ${amount(left, 'further annotation')} left out, since GitHub shows ${MOST_ANNOTATIONS} of a kind`;
  const lines = shown.map(({ line }) => line).join('');
  return `${lines}Patchgate: ${summaryLine(report)}${left > 0 ? cut : ''}\n`;
}

function ofFinding({ file, subject, finding, count }: Found, options: ReporterOptions) {
  const { rule: title, severity, line, column: col } = finding;
  const level = LEVELS[severity];
  const said = withHint(finding.message + countText(count, 'times in this file'), finding.hint);
  const path = repositoryPath(file, options);
  if (path === undefined) return annotation(level, { title }, `${placeOf(file, finding)}: ${said}`);
  const place = line === undefined ? { line: subject.line } : { line, col };
  return annotation(level, { file: path, ...place, title }, said);
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}\n${hint}`;
}

/** `::error file=a.json,line=1,title=schema.required::languages is mandatory`, escaped as @actions/core does. */
function annotation(level: string, properties: object, message: string) {
  const parts = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => `${name}=${escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
    );
  return { level, line: `::${level} ${parts.join(',')}::${escaped(message)}\n` };
}

/** Line ends are escaped; other characters that could steer a terminal are made visible. */
function escaped(text: string): string {
  const shown = text.replace(/[^\r\n]+/g, sanitize);
  return shown.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** For the page of a job on GitHub (`GITHUB_STEP_SUMMARY`): the report for people, in Markdown. */
export function githubSummary(report: Report, { failOn }: Pick<ReporterOptions, 'failOn'>): string {
  const shown = text(report, { isColoured: false });
  const longest = Math.max(3, ...(shown.match(/`+/g) ?? []).map((ticks) => ticks.length + 1));
  const fence = '`'.repeat(longest);
  const verdict = exitCodeOf(report, failOn) > 0 ? 'failed' : 'passed';
  return `### Patchgate: ${verdict}\n\n${fence}text\n${shown}${fence}\n\n`;
}
