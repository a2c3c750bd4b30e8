import type { Severity } from '../model/finding.ts';
import type { Report } from './report.ts';
import type { ReporterOptions } from './reporter.ts';
import { repositoryPath } from './repository-path.ts';
import { placeOf } from './text-findings.ts';
import { summaryLine } from './text-summary.ts';
import { amount, printable } from './wording.ts';

/** What GitHub shows of each kind in a step; further ones it drops without a word. */
const MOST = 10;

interface Annotation {
  level: 'error' | 'warning' | 'notice';
  properties: { file?: string | undefined; line?: number; col?: number; title: string };
  message: string;
}

const LEVELS = { error: 'error', warn: 'warning', note: 'notice' } as const;

/**
 * For GitHub Actions: annotations as workflow commands, ten of each kind at most, and a line for all. What does not count is left
 * out. (https://docs.github.com/actions/reference/workflow-commands-for-github-actions)
 */
export function github(report: Report, options: Pick<ReporterOptions, 'cwd' | 'root'>): string[] {
  const remarks = (report.remarks ?? []).map(
    ({ severity, message, hint }): Annotation => ({
      // What does not fail is a notice: it is about the gate, not about the change.
      level: severity === 'error' ? 'error' : 'notice',
      properties: { title: 'patchgate' },
      message: withHint(message, hint),
    }),
  );
  const found = (['error', 'warn'] as const).flatMap((severity) => annotationsOf(report, severity, options));
  const all = [...remarks, ...notJudged(report, options), ...found];
  const shown = Object.values(LEVELS).flatMap((level) =>
    all.filter((annotation) => annotation.level === level).slice(0, MOST),
  );
  const left = all.length - shown.length;
  const cut =
    left > 0 ? `; ${amount(left, 'further annotation')} left out, since GitHub shows ${MOST} of a kind` : '';
  return [...shown.map(commandOf), `Patchgate: ${summaryLine(report)}${cut}\n`];
}

/** One for each file, at the first. */
function notJudged({ files, command }: Report, options: Pick<ReporterOptions, 'cwd' | 'root'>): Annotation[] {
  const could = command === 'verify' ? 'could not be sent' : 'could not be judged';
  return files.flatMap(({ file, skipped = [] }) => {
    const [first] = skipped;
    if (!first) return [];
    const path = repositoryPath(file, options);
    const line = path === undefined ? undefined : first.line;
    const what = `${amount(skipped.length, 'request')} ${could}: ${first.why}`;
    return {
      level: 'notice',
      properties: { file: path, ...(line !== undefined && { line }), title: 'patchgate' },
      message: path === undefined ? `${file}: ${what}` : what,
    };
  });
}

/** One of each rule first: ten times the same tells less. */
function annotationsOf(
  { files }: Report,
  wanted: Severity,
  options: Pick<ReporterOptions, 'cwd' | 'root'>,
): Annotation[] {
  const firsts: Annotation[] = [];
  const others: Annotation[] = [];
  const seen = new Set<string>();
  for (const { file, subjects } of files) {
    const path = repositoryPath(file, options);
    for (const { line: start, findings } of subjects) {
      for (const finding of findings) {
        const { rule, severity, excuse, line = start, column } = finding;
        if (excuse || severity !== wanted) continue;
        const properties = {
          file: path,
          ...(path !== undefined && line !== undefined && { line }),
          ...(path !== undefined && finding.line !== undefined && column !== undefined && { col: column }),
          title: rule,
        };
        const list = seen.has(rule) ? others : firsts;
        seen.add(rule);
        const message =
          path === undefined ? `${placeOf(file, finding)}: ${finding.message}` : finding.message;
        list.push({ level: LEVELS[severity], properties, message: withHint(message, finding.hint) });
      }
    }
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

/** Line ends are escaped; what else could steer the terminal of who reads the log is made visible. */
function escapedData(text: string): string {
  const shown = text.replace(/[^\r\n]+/g, printable);
  return shown.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
