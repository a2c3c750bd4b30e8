import { eastAsianWidth } from 'get-east-asian-width';
import { type Colour, coloured, type Paint, plain, SEVERITY_COLOURS } from './colours.ts';
import {
  type CheckedFile,
  type Excerpt,
  findingsOf,
  type PlacedFinding,
  placeOf,
  type Report,
  type ReporterOptions,
  type Subject,
  summaryOf,
} from './report.ts';
import { amount, grouped, shortened, visible } from './wording.ts';

/** For people: the findings, then what is known besides; what sums it all up comes last, where a terminal ends. */
export function text(report: Report, { isColoured }: Pick<ReporterOptions, 'isColoured'>): string[] {
  const paint = isColoured ? coloured : plain;
  const { errors, warnings } = summaryOf(report);
  const paragraphs = [
    ...findingParagraphs(report.files, paint),
    skippedText(report),
    remarksText(report, paint),
    errors + warnings > 1 ? rulesText(report, paint) : '',
    summaryLine(report),
  ];
  return [`${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`];
}

/** Findings that are shown at most: some thousand lines. Every file is named. */
const MOST_FINDINGS = 200;
/** Of a message, a hint or a pointer, which may be as long as a body. */
const MOST_CHARACTERS = 1000;
/** Requests that are named for each reason why they were not judged. */
const MOST_SKIPPED = 5;

/** The findings of one file. */
interface FileFindings {
  file: string;
  requests: readonly Subject[];
  errors: number;
  warnings: number;
}

/**
 * The findings by file, each with its line, the reason and the hint. The files with errors come last, where a terminal ends;
 * where there are very many findings every file has its share, and its errors come before its warnings.
 *
 * @returns paragraphs; none where there is no finding
 */
export function findingParagraphs(files: readonly CheckedFile[], paint: Paint): string[] {
  const found = files
    .map(foundIn)
    .filter(({ requests }) => requests.length > 0)
    .sort((a, b) => Number(a.errors > 0) - Number(b.errors > 0));
  const wanted = found.map(({ errors, warnings }) => errors + warnings);
  const total = wanted.reduce((sum, count) => sum + count, 0);
  const shares = sharesOf(wanted, MOST_FINDINGS);
  const named: string[] = [];
  const paragraphs: string[] = [];
  for (const [index, file] of found.entries()) {
    const share = shares[index] as number;
    if (share > 0 || wanted[index] === 0) paragraphs.push(...fileParagraphs(file, share, paint));
    else
      named.push(
        `${paint('bold', visible(file.file))}: ${amount(file.errors, 'error')}, ${amount(file.warnings, 'warning')}`,
      );
  }
  if (named.length > 0) paragraphs.unshift(named.join('\n'));
  if (total > MOST_FINDINGS)
    paragraphs.push(
      `Shown are ${grouped(MOST_FINDINGS)} of ${grouped(total)} findings: -f json has them all.`,
    );
  return paragraphs;
}

function foundIn({ file, subjects }: CheckedFile): FileFindings {
  const requests = subjects.filter(({ findings, omitted }) => findings.length + omitted > 0);
  const all = requests.flatMap(({ findings }) => findings);
  const errors = all.filter(({ severity }) => severity === 'error').length;
  return { file, requests, errors, warnings: all.length - errors };
}

/** Shares out what is too little for all: none gets more than it asks for, and what one leaves goes to the others. */
function sharesOf(wanted: readonly number[], most: number): number[] {
  const shares: number[] = [];
  let left = most;
  const modestFirst = [...wanted.keys()].sort((a, b) => (wanted[a] as number) - (wanted[b] as number));
  for (const [served, index] of modestFirst.entries()) {
    const share = Math.min(wanted[index] as number, Math.ceil(left / (wanted.length - served)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

function fileParagraphs(
  { file, requests, errors, warnings }: FileFindings,
  share: number,
  paint: Paint,
): string[] {
  const paragraphs = [paint('bold', paint('underline', visible(file)))];
  const room = { error: share, warn: Math.max(0, share - errors) };
  for (const { pointer, method, path, findings, omitted } of requests) {
    const shown = findings.toSorted(byPlace).filter(({ severity }) => room[severity]-- > 0);
    if (shown.length + omitted === 0) continue;
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
  const last = Number.MAX_VALUE;
  return (a.line ?? last) - (b.line ?? last) || (a.column ?? last) - (b.column ?? last);
}

function findingText(file: string, finding: PlacedFinding, paint: Paint): string {
  const { line, severity, rule, message, excerpt, pointer, basis, source, hint } = finding;
  const colour = SEVERITY_COLOURS[severity];
  const readable = (said: string) => visible(shortened(said, MOST_CHARACTERS));
  const place = visible(placeOf(file, finding));
  const at = pointer && `at ${shortened(pointer, MOST_CHARACTERS)}`;
  return [
    `  ${place}  ${paint(colour, severity)}  ${visible(rule)}  ${paint('bold', readable(message))}`,
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

/**
 * How many columns a text takes on a terminal: East Asian wide characters and emoji two, combining marks none. Sequences that
 * some terminals draw as one (a letter of Hangul in parts, a face with its skin's colour) count as their parts.
 */
function columnsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text) {
    if (!/^\p{M}$/u.test(character)) columns += eastAsianWidth(character.codePointAt(0) as number);
  }
  return columns;
}

/** Which requests could not be judged, by the reason. */
function skippedText({ files }: Report): string {
  const byReason = new Map<string, string[]>();
  for (const { file, skipped = [] } of files)
    for (const { why, method, path, pointer, line } of skipped) {
      const place = line === undefined ? file : `${file}:${line}`;
      const lines = byReason.get(why) ?? [];
      byReason.set(why, lines);
      lines.push(visible(`  ${place}  ${method} ${path} (${pointer})`));
    }
  return [...byReason]
    .map(([why, lines]) => {
      const more = lines.length - MOST_SKIPPED;
      return [
        `Not judged, ${amount(lines.length, 'request')}: ${visible(why)}`,
        ...lines.slice(0, MOST_SKIPPED),
        ...(more > 0 ? [`  and ${grouped(more)} more: -f json has them all`] : []),
      ].join('\n');
    })
    .join('\n\n');
}

function remarksText({ remarks = [] }: Report, paint: Paint): string {
  return remarks
    .map(({ severity, message, hint }) => {
      const level = severity === 'note' ? severity : paint(SEVERITY_COLOURS[severity], severity);
      return `${level}: ${visible(message)}${hint === undefined ? '' : `\n  hint: ${visible(hint)}`}`;
    })
    .join('\n');
}

/** How often each rule found something, the most frequent first: count, severity, rule and what is wrong. */
function rulesText(report: Report, paint: Paint): string {
  const rows = new Map<string, Pick<PlacedFinding, 'rule' | 'severity'> & { count: number }>();
  for (const { finding } of findingsOf(report)) {
    const { rule, severity } = finding;
    const key = `${severity} ${rule}`;
    rows.set(key, { rule, severity, count: (rows.get(key)?.count ?? 0) + 1 });
  }
  const sorted = [...rows.values()].sort((a, b) => b.count - a.count || a.severity.localeCompare(b.severity));
  const says = new Map(report.rules?.map((rule) => [rule.name, rule.says]));
  const countWidth = Math.max(...sorted.map(({ count }) => grouped(count).length));
  const ruleWidth = Math.max(...sorted.map(({ rule }) => rule.length));
  return sorted
    .map(({ count, severity, rule }) => {
      const level = paint(SEVERITY_COLOURS[severity], severity.padEnd('error'.length));
      const said = paint('grey', visible(says.get(rule) ?? ''));
      return `  ${grouped(count).padStart(countWidth)}  ${level}  ${visible(rule).padEnd(ruleWidth)}  ${said}`.trimEnd();
    })
    .join('\n');
}

/** One line for all. */
export function summaryLine(report: Report): string {
  const summary = summaryOf(report);
  const { files, judged, unjudged, skipped, blocked, errors, warnings, omitted } = summary;
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
