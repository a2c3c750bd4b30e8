import type { Severity } from '../model/finding.ts';
import {
  type CheckedFile,
  countsAs,
  isFailing,
  type PlacedFinding,
  placeOf,
  type Report,
  type ReporterOptions,
  type Subject,
} from './report.ts';
import { amount } from './wording.ts';

/** A testcase. `skipped`: why there is no outcome; `output`: what the suite says of it in its output. */
interface Case {
  name: string;
  failure?: { type: string; message: string; text: string };
  skipped?: string;
  output?: string;
}

/**
 * For CI systems: a testsuite for each file, a testcase for each judged request. What fails the run is a failure; what only
 * warns is in the suite's output. A request that could not be judged is skipped.
 *
 * Valid against Ant's schema (JUnit.xsd of windyroad/JUnit-Schema) and those of Jenkins (junit-4 to junit-10.xsd): so what they
 * demand is there though a check has no time, and nothing is that one of them lacks, like attributes of `<testsuites>`.
 */
export function* junit(report: Report, options: Pick<ReporterOptions, 'failOn' | 'now'>): Generator<string> {
  const { failOn, now } = options;
  const { files, remarks = [] } = report;
  // Without a zone and fractions, as Ant's schema has it.
  const timestamp = now.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n';
  let id = 0;
  if (remarks.length > 0)
    yield suite(id++, 'patchgate', timestamp, remarks.map(remarkCase), { kind: 'remarks' });
  for (const file of files) {
    const properties = { kind: file.kind, ...(file.unjudged > 0 && { 'not concerned': `${file.unjudged}` }) };
    yield suite(id++, file.file, timestamp, casesOf(file, failOn), properties);
  }
  yield '</testsuites>\n';
}

function remarkCase({ severity, message, hint }: NonNullable<Report['remarks']>[number]): Case {
  const said = hint === undefined ? message : `${message}\nhint: ${hint}`;
  return severity === 'error'
    ? { name: message, failure: { type: 'remark', message, text: said } }
    : { name: message, output: `${severity}: ${said}` };
}

function casesOf({ file, subjects, skipped = [] }: CheckedFile, failOn: Severity): Case[] {
  return [
    ...subjects.map((subject) => caseOf(file, subject, failOn)),
    ...skipped.map((request) => ({ name: nameOf(file, request), skipped: request.why })),
  ];
}

function caseOf(file: string, subject: Subject, failOn: Severity): Case {
  const name = nameOf(file, subject);
  const failing = subject.findings.filter((finding) => countsAs(finding, failOn));
  const others = subject.findings.filter((finding) => !failing.includes(finding));
  const texts = others.map((finding) => findingText(file, finding));
  return {
    name,
    ...(isFailing(subject, failOn) && { failure: failureOf(file, subject, failing) }),
    ...(texts.length > 0 && { output: [name, ...texts].join('\n') }),
  };
}

function failureOf(file: string, subject: Subject, failing: readonly PlacedFinding[]) {
  const [first] = failing;
  const { omitted } = subject;
  const further = failing.length + omitted - 1;
  const texts = failing.map((finding) => findingText(file, finding));
  return {
    type: first?.rule ?? 'omitted',
    message: `${first?.message ?? 'among very many findings'}${further > 0 ? ` (and ${amount(further, 'more finding')})` : ''}`,
    text: [...texts, ...(omitted > 0 ? [`and ${amount(omitted, 'more finding')}`] : [])].join('\n\n'),
  };
}

function nameOf(file: string, { method, path, pointer, operation }: Partial<Subject>): string {
  return path === undefined ? (operation ?? file) : `${method} ${path}${pointer ? ` (${pointer})` : ''}`;
}

function findingText(file: string, finding: PlacedFinding): string {
  const { severity, rule, message, pointer, basis, source, hint } = finding;
  return [
    `${placeOf(file, finding)}  ${severity}  ${rule}  ${message}`,
    `  ${[pointer && `at ${pointer}`, basis, source].filter(Boolean).join(', ')}`,
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
  ].join('\n');
}

function suite(
  id: number,
  name: string,
  timestamp: string,
  cases: readonly Case[],
  properties: Readonly<Record<string, string>>,
): string {
  const failures = cases.filter(({ failure }) => failure).length;
  const skipped = cases.filter((testcase) => testcase.skipped !== undefined).length;
  const outputs = cases.flatMap(({ output }) => output ?? []);
  const attributes = {
    ...{ id, name, package: '', timestamp, hostname: 'localhost' },
    ...{ tests: cases.length, failures, errors: 0, ...(skipped > 0 && { skipped }), time: 0 },
  };
  // A viewer takes what is behind the last point for the class.
  const classname = name.replace(/\.\w+$/, '');
  return [
    `  <testsuite${attributesText(attributes)}>`,
    '    <properties>',
    ...Object.entries(properties).map(
      ([key, value]) => `      <property${attributesText({ name: key, value })}/>`,
    ),
    '    </properties>',
    ...cases.map((testcase) => `    ${caseText(testcase, classname)}`),
    `    <system-out>${xmlText(outputs.join('\n\n'))}</system-out>`,
    '    <system-err></system-err>',
    '  </testsuite>\n',
  ].join('\n');
}

function caseText({ name, failure, skipped }: Case, classname: string): string {
  const begin = `<testcase${attributesText({ name, classname, time: 0 })}>`;
  // As a text, not an attribute: not every schema has one.
  if (skipped !== undefined) return `${begin}<skipped>${xmlText(skipped)}</skipped></testcase>`;
  if (!failure) return `${begin}</testcase>`;
  const { type, message, text } = failure;
  return `${begin}<failure${attributesText({ message, type })}>${xmlText(text)}</failure></testcase>`;
}

/** A text between tags. A reader makes a line feed of a carriage return that is not escaped. */
function xmlText(text: string): string {
  return escaped(text, /[&<>\r]/g);
}

/** ` name="value"`. A reader makes spaces of line ends and tabs that are not escaped. */
function attributesText(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(String(value), /[&<>"\t\n\r]/g)}"`)
    .join('');
}

/** What XML 1.0 cannot hold, in no form: most control characters, halves of pairs, two that are no characters. */
const IMPOSSIBLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string, special: RegExp): string {
  return text
    .replace(IMPOSSIBLE, '\ufffd')
    .replace(special, (character) => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`);
}
