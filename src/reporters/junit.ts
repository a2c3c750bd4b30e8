import type { Severity } from '../model/finding.ts';
import {
  distinctFindings,
  type Found,
  isFailing,
  placeOf,
  type Report,
  type ReporterOptions,
  type Skipped,
  type Subject,
} from './report.ts';
import { amount, countText } from './wording.ts';

/** A testcase. `output`: what the suite's output says of it. */
interface Case {
  name: string;
  as?: 'failure' | 'error' | 'skipped';
  why?: { type: string; message: string; text: string };
  output?: string;
}

/**
 * For CI systems: a testsuite for each file, a testcase for each request. What fails the run is a failure, and what could not be
 * judged an error; what only warns is in the suite's output. Valid against Ant's schema (JUnit.xsd of windyroad/JUnit-Schema) and those of Jenkins.
 */
export function junit(report: Report, { failOn, now }: Pick<ReporterOptions, 'failOn' | 'now'>): string {
  const { files, remarks = [] } = report;
  const said = remarks.map(({ severity, message: name }): Case => {
    return { name, output: `${severity}: ${name}`, ...(severity === 'warn' && { as: 'skipped' }) };
  });
  const suites = [
    ...(said.length > 0 ? [{ name: 'patchgate', cases: said }] : []),
    ...files.map(({ file, subjects, skipped = [] }) => ({
      name: file,
      cases: [...subjects, ...skipped].map((request) => caseOf(file, request, failOn)),
    })),
  ];
  // Without a zone and fractions, as Ant's schema has it.
  const timestamp = now.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
  const texts = suites.map((suite, id) => suiteText(suite, id, timestamp));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${texts.join('')}</testsuites>\n`;
}

function caseOf(file: string, subject: Subject | Skipped, failOn: Severity): Case {
  const { method, path, pointer, operation = file }: Partial<Subject> = subject;
  const name = path === undefined ? operation : `${method} ${path}${pointer && ` (${pointer})`}`;
  if ('why' in subject)
    return { name, as: 'error', why: { type: 'not-judged', message: subject.why, text: '' } };
  const found = distinctFindings(file, [subject]);
  const failing = found.filter(({ finding }) => failOn === 'warn' || finding.severity === 'error');
  const warnings = found.filter((one) => !failing.includes(one)).map(findingText);
  const output = warnings.length > 0 ? { output: [name, ...warnings].join('\n') } : {};
  if (!isFailing(subject, failOn)) return { name, ...output };
  const { omitted } = subject;
  const further = failing.reduce((sum, { count }) => sum + count, omitted - 1);
  const omittedText = omitted > 0 ? [`and ${amount(omitted, 'more finding')}`] : [];
  const more = further > 0 ? ` (and ${amount(further, 'more finding')})` : '';
  const why = {
    message: `${failing[0]?.finding.message ?? 'among very many findings'}${more}`,
    type: failing[0]?.finding.rule ?? 'omitted',
    text: [...failing.map(findingText), ...omittedText].join('\n\n'),
  };
  return { name, as: 'failure', why, ...output };
}

function findingText({ file, finding, count }: Found): string {
  const { severity, rule, message, pointer, basis, source, hint } = finding;
  const said = `${placeOf(file, finding)}  ${severity}  ${rule}  ${message}${countText(count, 'times')}`;
  const reason = [pointer && `at ${pointer}`, basis, source].filter(Boolean).join(', ');
  return [said, `  ${reason}`, ...(hint === undefined ? [] : [`  hint: ${hint}`])].join('\n');
}

/** Each member that one of the schemas demands is there, and none that another lacks. */
function suiteText({ name, cases }: { name: string; cases: readonly Case[] }, id: number, timestamp: string) {
  const count = (as: Case['as']) => cases.filter((one) => one.as === as).length;
  const outputs = cases.flatMap(({ output }) => output ?? []);
  const attributes = {
    ...{ id, name, package: '', timestamp, hostname: 'localhost' },
    ...{ tests: cases.length, failures: count('failure'), errors: count('error'), time: 0 },
  };
  return [
    `  <testsuite${attributesText(attributes)}>`,
    '    <properties><property name="tool" value="patchgate"/></properties>',
    // Viewers take the part behind the last point for the class.
    ...cases.map((one) => `    ${caseText(one, name.replace(/\.\w+$/, ''))}`),
    `    <system-out>${xmlText(outputs.join('\n\n'))}</system-out>`,
    '    <system-err></system-err>',
    '  </testsuite>\n',
  ].join('\n');
}

function caseText({ name, as, why }: Case, classname: string): string {
  const { text = '', ...attributes } = why ?? {};
  const said = as ? `<${as}${attributesText(attributes)}>${xmlText(text)}</${as}>` : '';
  return `<testcase${attributesText({ name, classname, time: 0 })}>${said}</testcase>`;
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
