import {
  distinctFindings,
  type Found,
  fails,
  placeOf,
  type Report,
  type ReporterOptions,
  repositoryPath,
} from './report.ts';
import { summaryLine, text } from './text.ts';
import { amount, grouped, sanitize } from './wording.ts';

type Options = Pick<ReporterOptions, 'cwd' | 'root'>;

/** GitHub shows ten of each level in a step, and drops further ones. */
const MOST_ANNOTATIONS = 10;

interface Annotation {
  level: 'error' | 'warning' | 'notice';
  file?: string | undefined;
  line?: number | undefined;
  col?: number | undefined;
  title: string;
  message: string;
}

/**
 * For GitHub Actions: annotations as workflow commands, ten of each level at most, and a line for all.
 * (https://docs.github.com/actions/reference/workflow-commands-for-github-actions)
 */
export function github(report: Report, options: Options): string {
  // A remark is about the gate, not about the change.
  const remarks = (report.remarks ?? []).map(
    ({ message, hint }): Annotation => ({
      level: 'notice',
      title: 'patchgate',
      message: withHint(message, hint),
    }),
  );
  const found = report.files.flatMap(({ file, subjects }) => distinctFindings(file, subjects));
  const all = [...remarks, ...notJudged(report, options), ...found.map((one) => ofFinding(one, options))];
  const shown = (['error', 'warning', 'notice'] as const).flatMap((wanted) =>
    all.filter(({ level }) => level === wanted).slice(0, MOST_ANNOTATIONS),
  );
  const left = all.length - shown.length;
  const cut = `; ${amount(left, 'further annotation')} left out, since GitHub shows ${MOST_ANNOTATIONS} of a kind`;
  return `${shown.map(commandOf).join('')}Patchgate: ${summaryLine(report)}${left > 0 ? cut : ''}\n`;
}

/** One for each file, at the first. */
function notJudged({ files }: Report, options: Options): Annotation[] {
  return files.flatMap(({ file, skipped = [] }): Annotation | [] => {
    const [first] = skipped;
    if (!first) return [];
    const path = repositoryPath(file, options);
    const said = `${amount(skipped.length, 'request')} could not be judged: ${first.why}`;
    const place = path === undefined ? {} : { file: path, line: first.line };
    return { level: 'notice', ...place, title: 'patchgate', message: path ? said : `${file}: ${said}` };
  });
}

function ofFinding({ file, subject, finding, others }: Found, options: Options): Annotation {
  const { rule, severity, line, column } = finding;
  const path = repositoryPath(file, options);
  const count = others === 0 ? '' : ` (${grouped(others + 1)} times in this file)`;
  const said = withHint(`${finding.message}${count}`, finding.hint);
  const level = severity === 'error' ? 'error' : 'warning';
  if (path === undefined) return { level, title: rule, message: `${placeOf(file, finding)}: ${said}` };
  const col = line === undefined ? undefined : column;
  return { level, file: path, line: line ?? subject.line, col, title: rule, message: said };
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}\n${hint}`;
}

/** `::error file=a.json,line=1,title=schema.required::languages is mandatory`, escaped as @actions/core does. */
function commandOf({ level, message, ...properties }: Annotation): string {
  const parts = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapedProperty(String(value))}`);
  return `::${level} ${parts.join(',')}::${escapedData(message)}\n`;
}

/** Line ends are escaped; other characters that could steer a terminal are made visible. */
function escapedData(text: string): string {
  const shown = text.replace(/[^\r\n]+/g, sanitize);
  return shown.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** For the page of a job on GitHub (`GITHUB_STEP_SUMMARY`): the report for people, in Markdown. */
export function githubSummary(report: Report, { failOn }: Pick<ReporterOptions, 'failOn'>): string {
  const shown = text(report, { isColoured: false });
  const longest = Math.max(3, ...(shown.match(/`+/g) ?? []).map((ticks) => ticks.length + 1));
  const fence = '`'.repeat(longest);
  const verdict = fails(report, failOn) ? 'failed' : 'passed';
  return `### Patchgate: ${verdict}\n\n${fence}text\n${shown}${fence}\n\n`;
}
