import type { Severity } from '../model/finding.ts';
import {
  type CheckedFile,
  countsAs,
  isFailing,
  type PlacedFinding,
  type Report,
  type Subject,
} from './report.ts';
import type { ReporterOptions } from './reporter.ts';
import { placeOf } from './text-findings.ts';
import { amount } from './wording.ts';
import { attribute, element, xmlText } from './xml.ts';

/** As a testcase shows it. */
interface Case {
  name: string;
  failure?: { type: string; message: string; text: string };
  /** Why there is no outcome. */
  skipped?: string;
  /** What the suite says of it in its output. */
  output?: string;
}

/**
 * For CI systems: a testsuite for each file, a testcase for each judged request. What fails the run is a failure; what only warns,
 * and what does not count, is in the suite's output. A request that could not be judged is skipped.
 *
 * Valid against Ant's schema (JUnit.xsd of windyroad/JUnit-Schema) and those of Jenkins (junit-4 to junit-10.xsd): so what they
 * demand is there though a check has no time, and nothing is that one of them lacks, like attributes of `<testsuites>`.
 */
export function* junit(report: Report, options: Pick<ReporterOptions, 'failOn' | 'now'>): Generator<string> {
  const { failOn, now } = options;
  // Without a zone and fractions, as Ant's schema has it.
  const timestamp = now.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n';
  let id = 0;
  const cases = remarkCases(report);
  if (cases.length > 0)
    yield suite({ id: id++, name: 'patchgate', timestamp, cases, properties: { kind: 'remarks' } });
  for (const file of report.files) {
    const { kind, clean = 0, unjudged, further } = file;
    const properties = {
      kind,
      ...(clean > 0 && { 'passed without a testcase': `${clean}` }),
      ...(further && { 'only counted': `${further.judged + further.skipped}` }),
      ...(unjudged > 0 && { [report.command === 'verify' ? 'not sent' : 'not concerned']: `${unjudged}` }),
    };
    yield suite({ id: id++, name: file.file, timestamp, cases: casesOf(file, failOn), properties });
  }
  yield '</testsuites>\n';
}

function remarkCases({ remarks = [] }: Report): Case[] {
  return remarks.map(({ severity, message, hint }) => {
    const said = hint === undefined ? message : `${message}\nhint: ${hint}`;
    return severity === 'error'
      ? { name: message, failure: { type: 'remark', message, text: said } }
      : { name: message, output: `${severity}: ${said}` };
  });
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
  const others = subject.findings.filter((finding) => !countsAs(finding, failOn));
  const output = others.map((finding) => findingText(file, finding)).join('\n');
  return {
    name,
    ...(isFailing(subject, failOn) && { failure: failureOf(file, subject, failing) }),
    ...(output !== '' && { output: `${name}\n${output}` }),
  };
}

function failureOf(file: string, subject: Subject, failing: readonly PlacedFinding[]) {
  const [first] = failing;
  const omitted = subject.omittedExcuse ? 0 : subject.omitted;
  const further = failing.length + omitted - 1;
  const more = omitted > 0 ? [`and ${amount(omitted, 'more finding')}`] : [];
  return {
    type: first?.rule ?? 'omitted',
    message: `${first?.message ?? 'among very many findings'}${further > 0 ? ` (and ${amount(further, 'more finding')})` : ''}`,
    text: [...failing.map((finding) => findingText(file, finding)), ...more].join('\n\n'),
  };
}

function nameOf(file: string, { method, path, pointer, operation }: Partial<Subject>): string {
  return path === undefined ? (operation ?? file) : `${method} ${path}${pointer ? ` (${pointer})` : ''}`;
}

function findingText(file: string, finding: PlacedFinding): string {
  const { severity, rule, message, pointer, basis, source, hint, excuse } = finding;
  const reason = [pointer && `at ${pointer}`, basis, source].filter(Boolean).join(', ');
  return [
    `${placeOf(file, finding)}  ${severity}  ${rule}  ${message}`,
    `  ${reason}`,
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
    ...(excuse ? [`  does not count: ${excuseText(excuse)}`] : []),
  ].join('\n');
}

function excuseText(excuse: NonNullable<PlacedFinding['excuse']>): string {
  if (excuse.by === 'suppression') return `suppressed, ${excuse.reason}`;
  if (excuse.by === 'update') return 'the recording has it now';
  return excuse.by === 'baseline' ? 'it is in the baseline' : 'the contract before says it, too';
}

interface Suite {
  id: number;
  name: string;
  timestamp: string;
  cases: readonly Case[];
  properties: Readonly<Record<string, string>>;
}

function suite({ id, name, timestamp, cases, properties }: Suite): string {
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
    `  ${element('testsuite', attributes)}`,
    '    <properties>',
    ...Object.entries(properties).map(
      ([key, value]) => `      <property${attribute('name', key)}${attribute('value', value)}/>`,
    ),
    '    </properties>',
    ...cases.map((testcase) => `    ${caseText(testcase, classname)}`),
    `    <system-out>${xmlText(outputs.join('\n\n'))}</system-out>`,
    '    <system-err></system-err>',
    '  </testsuite>\n',
  ].join('\n');
}

function caseText({ name, failure, skipped }: Case, classname: string): string {
  const begin = element('testcase', { name, classname, time: 0 });
  // As a text, not an attribute: not every schema has one.
  if (skipped !== undefined) return `${begin}<skipped>${xmlText(skipped)}</skipped></testcase>`;
  if (!failure) return `${begin}</testcase>`;
  const { type, message, text } = failure;
  return `${begin}${element('failure', { message, type })}${xmlText(text)}</failure></testcase>`;
}
