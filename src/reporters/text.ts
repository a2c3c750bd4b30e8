import { type CheckedFile, type Excerpt, type PlacedFinding, type Report, summaryOf } from './report.ts';

/** Control and format characters (escape sequences, bidirectional overrides), line separators, halves of pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** For people: findings by file, each with its line, the reason and the way out, then one line for all. */
export function text(report: Report): string {
  const sections = report.files.filter(hasFindings).map(fileText);
  return [...sections, summaryText(report)].join('\n\n').concat('\n');
}

function hasFindings({ subjects }: CheckedFile): boolean {
  return subjects.some(({ findings }) => findings.length > 0);
}

function fileText({ file, subjects }: CheckedFile): string {
  const paragraphs = [visible(file)];
  for (const { pointer, method, path, findings, omitted } of subjects) {
    if (findings.length === 0) continue;
    if (pointer !== '') paragraphs.push(`  ${visible(`${method} ${path}`)} (${pointer})`);
    paragraphs.push(...findings.toSorted(byPlace).map((finding) => findingText(file, finding)));
    if (omitted > 0) paragraphs.push(`  and ${amount(omitted, 'more finding')}`);
  }
  return paragraphs.join('\n\n');
}

/** In the order of reading; what has no place comes last. */
function byPlace(a: PlacedFinding, b: PlacedFinding): number {
  return compare(a.line, b.line) || compare(a.column, b.column);
}

function compare(a = Number.MAX_VALUE, b = Number.MAX_VALUE): number {
  return a - b;
}

function findingText(file: string, finding: PlacedFinding): string {
  const { line, column, severity, rule, message, excerpt, pointer, basis, source, hint } = finding;
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  const lines = [visible(`  ${place}  ${severity}  ${rule}  ${message}`)];
  if (excerpt) lines.push(...excerptLines(excerpt, line));
  const reason = [pointer && `at ${pointer}`, basis, source].filter(Boolean).join(', ');
  lines.push(visible(`    ${reason}`));
  if (hint) lines.push(visible(`    hint: ${hint}`));
  return lines.join('\n');
}

function excerptLines({ text, caret }: Excerpt, line = 0): string[] {
  const margin = `    ${line} | `;
  // Code points, not code units: a character outside the basic plane is one on the screen.
  const before = ' '.repeat([...text.slice(0, caret)].length);
  return [`${margin}${visible(text)}`, `${' '.repeat(margin.length - 2)}| ${before}^`];
}

function summaryText(report: Report): string {
  const { files, judged, unjudged, blocked, errors, warnings, omitted } = summaryOf(report);
  const found =
    errors + warnings === 0
      ? 'no findings'
      : `${amount(errors, 'error')}, ${amount(warnings, 'warning')}${omitted > 0 ? `, ${omitted} more` : ''}`;
  const rest = unjudged > 0 ? `, ${unjudged} not concerned` : '';
  return `${found}: ${amount(judged, 'request')} judged, ${blocked} would be blocked${rest}, in ${amount(files, 'file')}`;
}

/** `1 error`, `2 errors` */
export function amount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** What comes from a file must not steer the terminal. One character for one, so that the caret stays in its place. */
export function visible(text: string): string {
  return text.replaceAll('\t', ' ').replace(UNPRINTABLE, '\ufffd');
}
