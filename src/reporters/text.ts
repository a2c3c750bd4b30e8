import { shortened } from '../model/short-text.ts';
import { coloured, type Paint, plain, SEVERITY_COLOURS } from './colours.ts';
import {
  type CheckedFile,
  distinctFindings,
  errorsFirst,
  type Found,
  placeOf,
  type Remark,
  type Report,
  type ReporterOptions,
  summaryOf,
} from './report.ts';
import { amount, countText, grouped, visible } from './wording.ts';

/** Findings that are shown at most: some thousand lines. Every file is named. */
const MOST_FINDINGS = 200;
/** Of a message, a hint or a pointer, which may be as long as a body. */
const MOST_CHARACTERS = 500;

/** For people: the findings, then remarks; the sum comes last, as a terminal shows the end. */
export function text(report: Report, { isColoured }: Pick<ReporterOptions, 'isColoured'>): string {
  const paint = isColoured ? coloured : plain;
  const remarks = (report.remarks ?? []).map((one) => remarkText(one, paint)).join('\n');
  const paragraphs = [...findingParagraphs(report.files, paint), remarks, summaryLine(report)];
  return `${paragraphs.filter(Boolean).join('\n\n')}\n`;
}

/** The findings by file, each with its line, the reason and the hint. Files with errors come last. */
export function findingParagraphs(files: readonly CheckedFile[], paint: Paint): string[] {
  const all = files
    .map(({ file, subjects }) => ({
      file,
      found: distinctFindings(file, subjects),
      omitted: subjects.reduce((sum, subject) => sum + subject.omitted, 0),
    }))
    .filter(({ found, omitted }) => found.length + omitted > 0)
    .sort((a, b) => Number(a.found.some(isError)) - Number(b.found.some(isError)));
  const shown = new Set(errorsFirst(all.flatMap(({ found }) => found)).slice(0, MOST_FINDINGS));
  return all.flatMap(({ file, found, omitted }) => {
    const kept = found.filter((one) => shown.has(one));
    const more = found.filter((one) => !shown.has(one)).reduce((sum, { count }) => sum + count, omitted);
    const name = paint('bold', paint('underline', visible(file)));
    if (kept.length === 0) return [`${name}: ${amount(more, 'finding')}`];
    const rest = more > 0 ? [`  and ${amount(more, 'more finding')}: -f json has all`] : [];
    return [name, ...kept.map((one) => findingText(one, paint)), ...rest];
  });
}

function isError({ finding }: Found): boolean {
  return finding.severity === 'error';
}

function findingText({ file, subject, finding, count }: Found, paint: Paint): string {
  const { line = 0, severity, rule, message, excerpt, pointer, basis, source, hint } = finding;
  const colour = SEVERITY_COLOURS[severity];
  const readable = (said: string) => visible(shortened(said, MOST_CHARACTERS));
  const place = visible(placeOf(file, finding));
  const said = paint('bold', readable(message)) + countText(count, 'times');
  const at = pointer && `at ${shortened(pointer, MOST_CHARACTERS)}`;
  const request = subject.pointer && `${subject.method} ${subject.path} (${subject.pointer})`;
  const reason = [at, request, basis, source].filter(Boolean).join(', ');
  const lines = [`  ${place}  ${paint(colour, severity)}  ${visible(rule)}  ${said}`];
  if (excerpt) {
    const margin = `    ${line} | `;
    const before = [...visible(excerpt.text.slice(0, excerpt.caret))].length;
    lines.push(paint('grey', margin) + visible(excerpt.text));
    lines.push(paint('grey', '| '.padStart(margin.length)) + ' '.repeat(before) + paint(colour, '^'));
  }
  lines.push(`    ${paint('grey', visible(reason))}`);
  if (hint) lines.push(`    hint: ${readable(hint)}`);
  return lines.join('\n');
}

function remarkText({ severity, message, hint }: Remark, paint: Paint): string {
  const level = severity === 'note' ? severity : paint(SEVERITY_COLOURS[severity], severity);
  return `${level}: ${visible(message)}${hint === undefined ? '' : `\n  hint: ${visible(hint)}`}`;
}

/** One line for all. */
export function summaryLine(report: Report): string {
  const { files, judged, unjudged, skipped, blocked, errors, warnings, omitted } = summaryOf(report);
  const some = (count: number, what: string) => (count > 0 ? [`${grouped(count)} ${what}`] : []);
  const counts = [amount(errors, 'error'), amount(warnings, 'warning'), ...some(omitted, 'more')];
  const requests = [
    `${amount(judged, 'request')} judged`,
    `${grouped(blocked)} would be blocked`,
    ...some(unjudged, 'not concerned'),
    ...some(skipped, 'not judged'),
    `in ${amount(files, 'file')}`,
  ];
  return `${errors + warnings + omitted === 0 ? 'no findings' : counts.join(', ')}: ${requests.join(', ')}`;
}
