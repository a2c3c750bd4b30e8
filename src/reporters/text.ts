import { eastAsianWidth } from 'get-east-asian-width';
import { type Colour, coloured, type Paint, plain, SEVERITY_COLOURS } from './colours.ts';
import {
  type CheckedFile,
  distinctFindings,
  type Excerpt,
  type Found,
  placeOf,
  type Report,
  type ReporterOptions,
  summaryOf,
} from './report.ts';
import { amount, grouped, shortened, visible } from './wording.ts';

/** Findings that are shown at most: some thousand lines. Every file is named. */
const MOST_FINDINGS = 200;
/** Of a message, a hint or a pointer, which may be as long as a body. */
const MOST_CHARACTERS = 500;
/** Requests that are named for each reason why they were not judged. */
const MOST_SKIPPED = 5;

/** For people: the findings, then remarks; the sum comes last, as a terminal shows the end. */
export function text(report: Report, { isColoured }: Pick<ReporterOptions, 'isColoured'>): string {
  const paint = isColoured ? coloured : plain;
  const paragraphs = [
    ...findingParagraphs(report.files, paint),
    ...skippedParagraphs(report),
    remarksText(report, paint),
    summaryLine(report),
  ];
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`;
}

/**
 * The findings by file, each with its line, the reason and the hint; the same many times is one, with a count. Files with errors
 * come last. Errors are shown before warnings if there are too many.
 *
 * @returns paragraphs; none if there is no finding
 */
export function findingParagraphs(files: readonly CheckedFile[], paint: Paint): string[] {
  const all = files
    .map(({ file, subjects }) => {
      const omitted = subjects.reduce((sum, subject) => sum + subject.omitted, 0);
      return { file, found: distinctFindings(file, subjects), omitted };
    })
    .filter(({ found, omitted }) => found.length + omitted > 0)
    .sort((a, b) => Number(a.found.some(isError)) - Number(b.found.some(isError)));
  const found = all.flatMap((file) => file.found);
  const errorsFirst = [...found.filter(isError), ...found.filter((one) => !isError(one))];
  const shown = new Set(errorsFirst.slice(0, MOST_FINDINGS));
  const paragraphs = all.flatMap((file) => fileParagraphs(file, shown, paint));
  if (found.length > shown.size)
    paragraphs.push(
      `Shown are ${grouped(shown.size)} of ${grouped(found.length)} different findings: -f json has them all.`,
    );
  return paragraphs;
}

function isError({ finding }: Found): boolean {
  return finding.severity === 'error';
}

function fileParagraphs(
  { file, found, omitted }: { file: string; found: readonly Found[]; omitted: number },
  shown: ReadonlySet<Found>,
  paint: Paint,
): string[] {
  const paragraphs = [paint('bold', paint('underline', visible(file)))];
  let last: Found['subject'] | undefined;
  let more = omitted;
  for (const one of found) {
    const { method, path, pointer } = one.subject;
    if (!shown.has(one)) {
      more += one.others + 1;
      continue;
    }
    if (one.subject !== last && pointer !== '')
      paragraphs.push(`  ${visible(`${method} ${path}`)} ${paint('grey', `(${visible(pointer)})`)}`);
    last = one.subject;
    paragraphs.push(findingText(one, paint));
  }
  if (more === 0) return paragraphs;
  // The name and the count fit a line.
  if (paragraphs.length === 1) return [`${paragraphs[0]}: ${amount(more, 'finding')}`];
  return [...paragraphs, `  and ${amount(more, 'more finding')}`];
}

function findingText({ file, finding, others }: Found, paint: Paint): string {
  const { line, severity, rule, message, excerpt, pointer, basis, source, hint } = finding;
  const colour = SEVERITY_COLOURS[severity];
  const readable = (said: string) => visible(shortened(said, MOST_CHARACTERS));
  const at = pointer && `at ${shortened(pointer, MOST_CHARACTERS)}`;
  const place = visible(placeOf(file, finding));
  const count = others === 0 ? '' : ` (${grouped(others + 1)} times)`;
  return [
    `  ${place}  ${paint(colour, severity)}  ${visible(rule)}  ${paint('bold', readable(message))}${count}`,
    ...(excerpt ? excerptLines(excerpt, line, colour, paint) : []),
    `    ${paint('grey', visible([at, basis, source].filter(Boolean).join(', ')))}`,
    ...(hint ? [`    hint: ${readable(hint)}`] : []),
  ].join('\n');
}

function excerptLines({ text, caret }: Excerpt, line = 0, colour: Colour, paint: Paint): string[] {
  const margin = `    ${line} | `;
  const blank = `${' '.repeat(margin.length - 2)}| `;
  const before = ' '.repeat(columnsOf(visible(text.slice(0, caret))));
  return [
    `${paint('grey', margin)}${visible(text)}`,
    `${paint('grey', blank)}${before}${paint(colour, '^')}`,
  ];
}

/** Columns of a terminal that a text takes: East Asian wide characters and emoji two, combining marks none. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text)
    if (!/^\p{M}$/u.test(character)) columns += eastAsianWidth(character.codePointAt(0) as number);
  return columns;
}

/** The requests that could not be judged, by the reason. */
function skippedParagraphs({ files }: Report): string[] {
  const byReason = new Map<string, string[]>();
  for (const { file, skipped = [] } of files)
    for (const { why, method, path, pointer, line } of skipped) {
      const place = line === undefined ? file : `${file}:${line}`;
      const lines = byReason.get(why) ?? [];
      byReason.set(why, lines);
      lines.push(visible(`  ${place}  ${method} ${path} (${pointer})`));
    }
  return [...byReason].map(([why, lines]) => {
    const more = lines.length - MOST_SKIPPED;
    return [
      `Not judged, ${amount(lines.length, 'request')}: ${visible(why)}`,
      ...lines.slice(0, MOST_SKIPPED),
      ...(more > 0 ? [`  and ${grouped(more)} more: -f json has them all`] : []),
    ].join('\n');
  });
}

function remarksText({ remarks = [] }: Report, paint: Paint): string {
  return remarks
    .map(({ severity, message, hint }) => {
      const level = severity === 'note' ? severity : paint(SEVERITY_COLOURS[severity], severity);
      return `${level}: ${visible(message)}${hint === undefined ? '' : `\n  hint: ${visible(hint)}`}`;
    })
    .join('\n');
}

/** One line for all. */
export function summaryLine(report: Report): string {
  const { files, judged, unjudged, skipped, blocked, errors, warnings, omitted } = summaryOf(report);
  const some = (count: number, what: string) => (count > 0 ? [`${grouped(count)} ${what}`] : []);
  const found =
    errors + warnings + omitted === 0
      ? 'no findings'
      : [amount(errors, 'error'), amount(warnings, 'warning'), ...some(omitted, 'more')].join(', ');
  const requests = [
    `${amount(judged, 'request')} judged`,
    `${grouped(blocked)} would be blocked`,
    ...some(unjudged, 'not concerned'),
    ...some(skipped, 'not judged'),
    `in ${amount(files, 'file')}`,
  ];
  return `${found}: ${requests.join(', ')}`;
}
