import type { Severity } from '../model/finding.ts';
import {
  type CheckedFile,
  countsAs,
  distinctFindings,
  type Found,
  isFailing,
  placeOf,
  type Report,
  type ReporterOptions,
  type Subject,
} from './report.ts';
import { amount, grouped } from './wording.ts';

/** A testcase. `skipped`: why there is no outcome; `output`: what the suite's output says of it. */
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
 * Valid against Ant's schema (JUnit.xsd of windyroad/JUnit-Schema) and those of Jenkins (junit-4 to junit-10.xsd): each member
 * that one demands is there, and none that another lacks.
 */
export function junit(report: Report, { failOn, now }: Pick<ReporterOptions, 'failOn' | 'now'>): string {
  const { files, remarks = [] } = report;
  const suites = files.map((file): Suite => {
    const properties = { kind: file.kind, ...(file.unjudged > 0 && { 'not concerned': `${file.unjudged}` }) };
    return { name: file.file, cases: casesOf(file, failOn), properties };
  });
  if (remarks.length > 0) {
    const cases = remarks.map(({ severity, message }) => ({
      name: message,
      output: `${severity}: ${message}`,
    }));
    suites.unshift({ name: 'patchgate', cases, properties: { kind: 'remarks' } });
  }
  // Without a zone and fractions, as Ant's schema has it.
  const timestamp = now.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
  const texts = suites.map((suite, id) => suiteText(suite, id, timestamp));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${texts.join('')}</testsuites>\n`;
}

function casesOf({ file, subjects, skipped = [] }: CheckedFile, failOn: Severity): Case[] {
  return [
    ...subjects.map((subject) => caseOf(file, subject, failOn)),
    ...skipped.map((request) => ({ name: nameOf(file, request), skipped: request.why })),
  ];
}

function caseOf(file: string, subject: Subject, failOn: Severity): Case {
  const name = nameOf(file, subject);
  const { omitted } = subject;
  const found = distinctFindings(file, [subject]);
  const failing = found.filter(({ finding }) => countsAs(finding, failOn));
  const warnings = found.filter((one) => !failing.includes(one)).map(findingText);
  const output = warnings.length > 0 ? { output: [name, ...warnings].join('\n') } : {};
  if (!isFailing(subject, failOn)) return { name, ...output };
  const first = failing[0]?.finding;
  const further = failing.reduce((sum, { others }) => sum + others + 1, omitted - 1);
  const texts = [
    ...failing.map(findingText),
    ...(omitted > 0 ? [`and ${amount(omitted, 'more finding')}`] : []),
  ];
  const failure = {
    type: first?.rule ?? 'omitted',
    message: `${first?.message ?? 'among very many findings'}${further > 0 ? ` (and ${amount(further, 'more finding')})` : ''}`,
    text: texts.join('\n\n'),
  };
  return { name, failure, ...output };
}

function nameOf(file: string, { method, path, pointer, operation }: Partial<Subject>): string {
  return path === undefined ? (operation ?? file) : `${method} ${path}${pointer ? ` (${pointer})` : ''}`;
}

function findingText({ file, finding, others }: Found): string {
  const { severity, rule, message, pointer, basis, source, hint } = finding;
  const count = others === 0 ? '' : ` (${grouped(others + 1)} times)`;
  return [
    `${placeOf(file, finding)}  ${severity}  ${rule}  ${message}${count}`,
    `  ${[pointer && `at ${pointer}`, basis, source].filter(Boolean).join(', ')}`,
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
  ].join('\n');
}

interface Suite {
  name: string;
  cases: readonly Case[];
  properties: Readonly<Record<string, string>>;
}

function suiteText({ name, cases, properties }: Suite, id: number, timestamp: string): string {
  const failures = cases.filter(({ failure }) => failure).length;
  const skipped = cases.filter((testcase) => testcase.skipped !== undefined).length;
  const outputs = cases.flatMap(({ output }) => output ?? []);
  const attributes = {
    ...{ id, name, package: '', timestamp, hostname: 'localhost' },
    ...{ tests: cases.length, failures, errors: 0, ...(skipped > 0 && { skipped }), time: 0 },
  };
  // Viewers take the part behind the last point for the class.
  const classname = name.replace(/\.\w+$/, '');
  return [
    `  <testsuite${attributesText(attributes)}>`,
    '    <properties>',
    ...Object.entries(properties).map(
      ([name, value]) => `      <property${attributesText({ name, value })}/>`,
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

/** XML 1.0 cannot hold most control characters, halves of pairs, and two that are no characters. */
const IMPOSSIBLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

function escaped(text: string, special: RegExp): string {
  return text.replace(IMPOSSIBLE, '\ufffd').replace(special, (character) => `&#${character.charCodeAt(0)};`);
}
