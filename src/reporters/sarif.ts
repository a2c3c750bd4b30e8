import { pathToFileURL } from 'node:url';
import { jsonText } from './json.ts';
import {
  type Found,
  findingsOf,
  type PlacedFinding,
  type Report,
  type ReporterOptions,
  type RuleFacts,
  repositoryPath,
  type Subject,
  summaryOf,
} from './report.ts';
import { amount, sanitize, shortened } from './wording.ts';

type Options = Pick<ReporterOptions, 'cwd' | 'root' | 'version'>;

/** GitHub takes no file with more results, and shows 5,000 of them. */
const MOST = 25_000;

/** The usual name of the folder that URIs are relative to. */
const ROOT = '%SRCROOT%';

/**
 * SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), for code scanning. Standard input is the artifact
 * `stdin`, and a result always has a line, since GitHub demands both.
 */
export function sarif(report: Report, options: Options): string {
  const found = findingsOf(report);
  const isError = ({ finding }: Found) => finding.severity === 'error';
  const errorsFirst = [...found.filter(isError), ...found.filter((one) => !isError(one))];
  const kept = found.length > MOST ? errorsFirst.slice(0, MOST) : found;
  const rules = rulesOf(report);
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const left = found.length - kept.length + summaryOf(report).omitted;
  const results = kept.map(({ file, subject, finding }) => ({
    ruleId: finding.rule,
    ruleIndex: indexes.get(finding.rule),
    level: LEVELS[finding.severity],
    message: message(finding.message, finding.hint),
    locations: [locationOf(file, subject, finding, options)],
  }));
  return jsonText({
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Patchgate', version: options.version, rules } },
        invocations: [{ executionSuccessful: true, ...notificationsOf(report, left) }],
        originalUriBaseIds: { [ROOT]: { uri: `${pathToFileURL(options.root).href.replace(/\/$/, '')}/` } },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  });
}

/** Remarks, requests that were not judged, and results that were left out. */
function notificationsOf({ files, remarks = [] }: Report, left: number) {
  const configuration = remarks.map(({ severity, message: said, hint }) => ({
    level: LEVELS[severity],
    message: message(said, hint),
  }));
  const warnings = files.flatMap(({ file, skipped = [] }) =>
    skipped.map(({ line, why, method, path, pointer }) => {
      const place = line === undefined ? file : `${file}:${line}`;
      return `${place}: ${method} ${path} (${pointer}) is not judged: ${why}`;
    }),
  );
  if (left > 0) warnings.push(`${amount(left, 'further result')} left out`);
  const execution = warnings.map((text) => ({ level: 'warning', message: message(text) }));
  return {
    ...(configuration.length > 0 && { toolConfigurationNotifications: configuration }),
    ...(execution.length > 0 && { toolExecutionNotifications: execution }),
  };
}

function locationOf(
  file: string,
  { line: start, method, path }: Subject,
  finding: PlacedFinding,
  options: Options,
) {
  const { line, column, pointer } = finding;
  const logical = [
    ...(path === undefined ? [] : [{ fullyQualifiedName: `${method} ${path}`, kind: 'resource' }]),
    ...(pointer === '' ? [] : [{ fullyQualifiedName: pointer, kind: 'value' }]),
  ];
  return {
    physicalLocation: {
      artifactLocation: artifactOf(file, options),
      region: {
        startLine: line ?? start ?? 1,
        ...(line !== undefined && column !== undefined && { startColumn: column }),
      },
    },
    ...(logical.length > 0 && { logicalLocations: logical }),
  };
}

function artifactOf(file: string, options: Options) {
  const path = repositoryPath(file, options);
  if (path === undefined) return { uri: 'stdin', description: { text: 'standard input' } };
  if (/^(?:\/|[A-Za-z]:\/)/.test(path)) return { uri: pathToFileURL(path).href };
  return { uri: path.toWellFormed().split('/').map(encodeURIComponent).join('/'), uriBaseId: ROOT };
}

/** SARIF's words for severities. */
const LEVELS = { error: 'error', warn: 'warning', note: 'note' } as const;

/** SARIF takes braces for what is to be put in, unless they are doubled, and `[a](1)` for a link. */
function message(text: string, hint?: string) {
  const whole = hint === undefined ? sanitize(text) : `${sanitize(text)}\nHint: ${sanitize(hint)}`;
  return { text: whole.replace(/[{}]/g, '$&$&').replace(/\[(?=[^\]]*\]\()/g, '\\[') };
}

/** The rules that were asked, and behind them those that only a finding names. */
function rulesOf(report: Report) {
  const facts = new Map((report.rules ?? []).map((rule) => [rule.name, rule]));
  for (const { finding } of findingsOf(report)) {
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
  const why = `Basis: ${basis}${source === '' ? '' : ` (${shortened(source, MOST_CHARACTERS)})`}.`;
  return {
    id: name,
    shortDescription: { text: sentence },
    fullDescription: { text: `${sentence} ${why}` },
    help: { text: `${sentence}\n${why}\nCorrect the request as the finding says.` },
    defaultConfiguration: severity === 'off' ? { enabled: false } : { level: LEVELS[severity] },
    properties: { tags: [name.replace(/\..*/s, ''), basis] },
  };
}
