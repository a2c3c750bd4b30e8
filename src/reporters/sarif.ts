import { pathToFileURL } from 'node:url';
import { shortened } from '../model/short-text.ts';
import { jsonText } from './json.ts';
import {
  errorsFirst,
  type Found,
  findingsOf,
  type Remark,
  type Report,
  type ReporterOptions,
  type RuleFacts,
  repositoryPath,
  summaryOf,
} from './report.ts';
import { amount, sanitize } from './wording.ts';

/** GitHub takes no file with more results, and shows 5,000 of them. */
const MOST = 25_000;
/** The usual name of the folder that URIs are relative to. */
const ROOT = '%SRCROOT%';
/** SARIF's words for severities. */
const LEVELS = { error: 'error', warn: 'warning', note: 'note' } as const;

/**
 * SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), for code scanning. Standard input is the artifact
 * `stdin`, and a result always has a line, since GitHub demands both.
 */
export function sarif(report: Report, options: ReporterOptions): string {
  const found = findingsOf(report);
  const kept = found.length > MOST ? errorsFirst(found).slice(0, MOST) : found;
  const left = found.length - kept.length + summaryOf(report).omitted;
  const results = kept.map((one) => ({
    ruleId: one.finding.rule,
    level: LEVELS[one.finding.severity],
    message: message(one.finding.message, one.finding.hint),
    locations: [locationOf(one, options)],
  }));
  return jsonText({
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Patchgate', version: options.version, rules: rulesOf(report, found) } },
        invocations: [
          { executionSuccessful: true, toolExecutionNotifications: notificationsOf(report, left) },
        ],
        originalUriBaseIds: { [ROOT]: { uri: `${pathToFileURL(options.root).href.replace(/\/$/, '')}/` } },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  });
}

/** Remarks, and how many results were left out. */
function notificationsOf({ remarks = [] }: Report, left: number) {
  const cut: Remark = { severity: 'warn', message: `${amount(left, 'further result')} left out` };
  const all = left > 0 ? [...remarks, cut] : remarks;
  return all.map((one) => ({ level: LEVELS[one.severity], message: message(one.message, one.hint) }));
}

function locationOf({ file, subject, finding }: Found, options: ReporterOptions) {
  const { line = subject.line ?? 1, column } = finding;
  const region = { startLine: line, ...(column !== undefined && { startColumn: column }) };
  return { physicalLocation: { artifactLocation: artifactOf(file, options), region } };
}

function artifactOf(file: string, options: ReporterOptions) {
  const path = repositoryPath(file, options);
  if (path === undefined) return { uri: 'stdin', description: { text: 'standard input' } };
  if (/^(?:\/|[A-Za-z]:\/)/.test(path)) return { uri: pathToFileURL(path).href };
  return { uri: path.toWellFormed().split('/').map(encodeURIComponent).join('/'), uriBaseId: ROOT };
}

/** SARIF takes single braces for placeholders, and `[a](1)` for a link. */
function message(text: string, hint?: string) {
  const whole = hint === undefined ? sanitize(text) : `${sanitize(text)}\nHint: ${sanitize(hint)}`;
  return { text: whole.replace(/[{}]/g, '$&$&').replace(/\[(?=[^\]]*\]\()/g, '\\[') };
}

/** The rules that were asked, and behind them those that only a finding names. */
function rulesOf(report: Report, found: readonly Found[]) {
  const facts = new Map((report.rules ?? []).map((rule) => [rule.name, rule]));
  for (const { finding } of found) {
    const { rule: name, severity, basis, source = '' } = finding;
    if (!facts.has(name))
      facts.set(name, { name, severity, basis, source, says: `the contract's ${name} does not hold` });
  }
  return [...facts.values()].map(ruleOf);
}

/** Of a rule's text, and of its source: GitHub takes 1,024 of a description. */
const MOST_CHARACTERS = 400;

function ruleOf({ name, severity, basis, says, source }: RuleFacts) {
  const sentence = `${says.slice(0, 1).toUpperCase()}${shortened(says.slice(1), MOST_CHARACTERS)}.`;
  const of = source === '' ? '' : ` (${shortened(source, MOST_CHARACTERS)})`;
  const whole = { text: `${sentence} Basis: ${basis}${of}.` };
  return {
    id: name,
    ...{ shortDescription: { text: sentence }, fullDescription: whole, help: whole },
    defaultConfiguration: severity === 'off' ? { enabled: false } : { level: LEVELS[severity] },
    properties: { tags: [name.replace(/\..*/s, ''), basis] },
  };
}
