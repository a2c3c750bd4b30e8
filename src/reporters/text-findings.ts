import { type Colour, type Paint, SEVERITY_COLOURS } from './colours.ts';
import { columnsOf } from './columns.ts';
import type { CheckedFile, Excerpt, PlacedFinding, Subject } from './report.ts';
import { sharesOf } from './shares.ts';
import { amount, grouped, shortened, visible } from './wording.ts';

/** Findings that are shown at most: some thousand lines. Every file is named. */
const MOST = 200;

/** The findings of one file, or of a part of its requests. */
interface Found {
  file: string;
  requests: readonly { subject: Subject; findings: readonly PlacedFinding[]; omitted: number }[];
  errors: number;
  warnings: number;
}

/** Which findings of a request are meant. */
export type Selection = (subject: Subject) => readonly PlacedFinding[];

/** Those that count. */
export const counting: Selection = ({ findings }) => findings.filter(({ excuse }) => !excuse);

/**
 * The findings by file, each with its line, the reason and the way out. The files with errors come last, where a terminal ends;
 * where there are very many findings every file has its share, and its errors come before its warnings.
 *
 * @returns paragraphs; none where there is no finding
 */
export function findingParagraphs(
  files: readonly CheckedFile[],
  paint: Paint,
  selected: Selection = counting,
): string[] {
  const found = files.map((file) => foundIn(file, selected)).filter(({ requests }) => requests.length > 0);
  const ordered = [
    ...found.filter(({ errors }) => errors === 0),
    ...found.filter(({ errors }) => errors > 0),
  ];
  const wanted = ordered.map(({ errors, warnings }) => errors + warnings);
  const shares = sharesOf(wanted, MOST);
  const isNamedOnly = (_: Found, index: number) => shares[index] === 0 && wanted[index] !== 0;
  const named = ordered.filter(isNamedOnly).map((file) => countsLine(file, paint));
  const total = wanted.reduce((sum, count) => sum + count, 0);
  return [
    ...(named.length > 0 ? [named.join('\n')] : []),
    ...ordered.flatMap((file, index) =>
      isNamedOnly(file, index) ? [] : fileParagraphs(file, shares[index] as number, paint),
    ),
    ...(total > MOST
      ? [`Shown are ${grouped(MOST)} of ${grouped(total)} findings: -f json has them all.`]
      : []),
  ];
}

function foundIn({ file, subjects }: CheckedFile, selected: Selection): Found {
  const requests = subjects
    .map((subject) => ({
      subject,
      findings: selected(subject),
      omitted: selected === counting && !subject.omittedExcuse ? subject.omitted : 0,
    }))
    .filter(({ findings, omitted }) => findings.length + omitted > 0);
  const all = requests.flatMap(({ findings }) => findings);
  const errors = all.filter(({ severity }) => severity === 'error').length;
  return { file, requests, errors, warnings: all.length - errors };
}

function countsLine({ file, errors, warnings }: Found, paint: Paint): string {
  return `${paint('bold', visible(file))}: ${amount(errors, 'error')}, ${amount(warnings, 'warning')}`;
}

function fileParagraphs({ file, requests, errors, warnings }: Found, share: number, paint: Paint): string[] {
  const paragraphs = [paint('bold', paint('underline', visible(file)))];
  const room = { error: share, warn: Math.max(0, share - errors) };
  for (const { subject, findings, omitted } of requests) {
    const shown = findings.toSorted(byPlace).filter(({ severity }) => room[severity]-- > 0);
    if (shown.length + omitted === 0) continue;
    const { pointer, method, path } = subject;
    if (pointer !== '')
      paragraphs.push(`  ${visible(`${method} ${path}`)} ${paint('grey', `(${visible(pointer)})`)}`);
    paragraphs.push(...shown.map((finding) => findingText(file, finding, paint)));
    if (omitted > 0) paragraphs.push(`  and ${amount(omitted, 'more finding')}`);
  }
  const more = errors + warnings - share;
  if (more > 0) paragraphs.push(`  and ${amount(more, 'more finding')} in this file`);
  return paragraphs;
}

/** In the order of reading; what has no place comes last. */
function byPlace(a: PlacedFinding, b: PlacedFinding): number {
  return compare(a.line, b.line) || compare(a.column, b.column);
}

function compare(a = Number.MAX_VALUE, b = Number.MAX_VALUE): number {
  return a - b;
}

/** `bodies/a.json:2:3`; the file alone where the finding has no place. */
export function placeOf(file: string, { line, column }: PlacedFinding): string {
  return line === undefined ? file : `${file}:${line}:${column ?? 1}`;
}

/** A pointer may be as long as a body. */
const MOST_CHARACTERS = 1000;

function findingText(file: string, finding: PlacedFinding, paint: Paint): string {
  const { line, severity, rule, message, excerpt, pointer, basis, source, hint } = finding;
  const colour = SEVERITY_COLOURS[severity];
  const place = visible(placeOf(file, finding));
  const lines = [
    `  ${place}  ${paint(colour, severity)}  ${visible(rule)}  ${paint('bold', readable(message))}`,
  ];
  if (excerpt) lines.push(...excerptLines(excerpt, line, colour, paint));
  const reason = [pointer && `at ${shortened(pointer, MOST_CHARACTERS)}`, basis, source]
    .filter(Boolean)
    .join(', ');
  lines.push(`    ${paint('grey', visible(reason))}`);
  if (hint) lines.push(`    hint: ${readable(hint)}`);
  return lines.join('\n');
}

function readable(text: string): string {
  return visible(shortened(text, MOST_CHARACTERS));
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
