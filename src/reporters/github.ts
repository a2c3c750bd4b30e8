import type { Severity } from '../model/finding.ts';
import {
  type Found,
  fails,
  findingsOf,
  placeOf,
  type Report,
  type ReporterOptions,
  repositoryPath,
} from './report.ts';
import { summaryLine } from './text.ts';
import { amount, grouped, markdown, sanitize, shortened } from './wording.ts';

type Options = Pick<ReporterOptions, 'cwd' | 'root'>;

/** What GitHub shows of each kind in a step; further ones it drops without a word. */
const MOST_ANNOTATIONS = 10;

interface Annotation {
  level: 'error' | 'warning' | 'notice';
  properties: {
    file?: string | undefined;
    line?: number | undefined;
    col?: number | undefined;
    title: string;
  };
  message: string;
}

/**
 * For GitHub Actions: annotations as workflow commands, ten of each kind at most, and a line for all.
 * (https://docs.github.com/actions/reference/workflow-commands-for-github-actions)
 */
export function github(report: Report, options: Options): string[] {
  const remarks = (report.remarks ?? []).map(
    ({ severity, message, hint }): Annotation => ({
      // What does not fail is a notice: it is about the gate, not about the change.
      level: severity === 'error' ? 'error' : 'notice',
      properties: { title: 'patchgate' },
      message: withHint(message, hint),
    }),
  );
  const found = findingsOf(report);
  const all = [
    ...remarks,
    ...notJudged(report, options),
    ...annotationsOf(found, 'error', options),
    ...annotationsOf(found, 'warn', options),
  ];
  const shown = (['error', 'warning', 'notice'] as const).flatMap((wanted) =>
    all.filter(({ level }) => level === wanted).slice(0, MOST_ANNOTATIONS),
  );
  const left = all.length - shown.length;
  const cut =
    left > 0
      ? `; ${amount(left, 'further annotation')} left out, since GitHub shows ${MOST_ANNOTATIONS} of a kind`
      : '';
  return [...shown.map(commandOf), `Patchgate: ${summaryLine(report)}${cut}\n`];
}

/** One for each file, at the first. */
function notJudged({ files }: Report, options: Options): Annotation[] {
  return files.flatMap(({ file, skipped = [] }): Annotation | [] => {
    const [first] = skipped;
    if (!first) return [];
    const path = repositoryPath(file, options);
    const said = `${amount(skipped.length, 'request')} could not be judged: ${first.why}`;
    return path === undefined
      ? { level: 'notice', properties: { title: 'patchgate' }, message: `${file}: ${said}` }
      : { level: 'notice', properties: { file: path, line: first.line, title: 'patchgate' }, message: said };
  });
}

/** One of each rule first: ten times the same tells less. */
function annotationsOf(found: readonly Found[], wanted: Severity, options: Options): Annotation[] {
  const firsts: Annotation[] = [];
  const others: Annotation[] = [];
  const seen = new Set<string>();
  for (const { file, subject, finding } of found) {
    const { rule, severity, line = subject.line, column } = finding;
    if (severity !== wanted) continue;
    const path = repositoryPath(file, options);
    const isPlaced = path !== undefined;
    const hasColumn = isPlaced && finding.line !== undefined;
    (seen.has(rule) ? others : firsts).push({
      level: severity === 'error' ? 'error' : 'warning',
      properties: {
        file: path,
        line: isPlaced ? line : undefined,
        col: hasColumn ? column : undefined,
        title: rule,
      },
      message: withHint(`${isPlaced ? '' : `${placeOf(file, finding)}: `}${finding.message}`, finding.hint),
    });
    seen.add(rule);
  }
  return [...firsts, ...others];
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}\n${hint}`;
}

/** `::error file=a.json,line=1,title=schema.required::languages is mandatory`, escaped as @actions/core does. */
function commandOf({ level, properties, message }: Annotation): string {
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

/** Rows of the table, characters of a cell, bytes of all rows: GitHub takes 1 MiB of a step, and nothing where it is more. */
const MOST_ROWS = 500;
const MOST_CHARACTERS = 300;
const MOST_BYTES = 400_000;

/**
 * For the page of a job on GitHub (`GITHUB_STEP_SUMMARY`): a table with the findings, errors first, in Markdown of less
 * than half a MiB.
 */
export function githubSummary(report: Report, options: Options & Pick<ReporterOptions, 'failOn'>): string {
  const found = findingsOf(report).sort((a, b) => a.finding.severity.localeCompare(b.finding.severity));
  const all = found.slice(0, MOST_ROWS).map(({ file, finding }) => {
    const { severity, rule, message, hint } = finding;
    const place = placeOf(repositoryPath(file, options) ?? file, finding);
    const said = hint === undefined ? message : `${message}; ${hint}`;
    return `| ${[severity, place, rule, said].map(cell).join(' | ')} |`;
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
    `### Patchgate: ${fails(report, options.failOn) ? 'failed' : 'passed'}`,
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
  return markdown(sanitize(shortened(text, MOST_CHARACTERS)));
}
