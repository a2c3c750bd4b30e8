import { pathToFileURL } from 'node:url';
import { fingerprintsOf } from './fingerprint.ts';
import { jsonPieces } from './json-pieces.ts';
import { type PlacedFinding, type Report, type Subject, summaryOf } from './report.ts';
import type { ReporterOptions } from './reporter.ts';
import { repositoryPath } from './repository-path.ts';
import { LEVELS, message, sarifRules } from './sarif-rules.ts';
import { amount } from './wording.ts';

type Options = Pick<ReporterOptions, 'cwd' | 'root' | 'version' | 'hasBaseline'>;

/** GitHub takes no file with more results, and shows 5,000 of them. */
const MOST = 25_000;

/** No alerts: what the contract's change did not bring, and what the recording has now. */
const LEFT_OUT: ReadonlySet<string | undefined> = new Set(['old-contract', 'update']);

/** The usual name of the folder that URIs are relative to. */
const ROOT = '%SRCROOT%';

/** A finding where it is. */
interface Placed {
  file: string;
  subject: Subject;
  finding: PlacedFinding;
}

/**
 * SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), for code scanning. What does not count is there with its
 * suppression or as unchanged, but for what the contract before says, too. Standard input is the artifact `stdin`, and a result
 * always has a line, since GitHub demands both.
 */
export function* sarif(report: Report, options: Options): Generator<string> {
  const results = report.files.flatMap(({ file, subjects }) =>
    subjects.flatMap((subject) =>
      // Code scanning takes each result for an alert.
      subject.findings.flatMap((finding): Placed | [] =>
        LEFT_OUT.has(finding.excuse?.by) ? [] : { file, subject, finding },
      ),
    ),
  );
  const kept = results.length > MOST ? mostImportant(results) : results;
  const rules = sarifRules(report);
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const left = results.length - kept.length + summaryOf(report).omitted;
  yield* jsonPieces(
    (list) => ({
      $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'Patchgate', version: options.version, rules } },
          invocations: [{ executionSuccessful: true, ...notificationsOf(report, left) }],
          originalUriBaseIds: { [ROOT]: { uri: `${pathToFileURL(options.root).href.replace(/\/$/, '')}/` } },
          columnKind: 'utf16CodeUnits',
          results: list,
        },
      ],
    }),
    resultsOf(report, kept, indexes, options),
  );
}

function mostImportant(results: readonly Placed[]): Placed[] {
  const weightOf = ({ finding: { severity, excuse } }: Placed) => (excuse ? 2 : severity === 'error' ? 0 : 1);
  return results.toSorted((a, b) => weightOf(a) - weightOf(b)).slice(0, MOST);
}

/** What is to be known beside the results. */
function notificationsOf({ files, remarks = [], command }: Report, left: number) {
  const isNot = command === 'verify' ? 'is not sent' : 'is not judged';
  const configuration = remarks.map(({ severity, message: said, hint }) => ({
    level: LEVELS[severity],
    message: message(said, hint),
  }));
  const skipped = files.flatMap((file) =>
    (file.skipped ?? []).map(({ line, why, method, path, pointer }) => ({
      level: 'warning',
      message: message(
        `${file.file}${line === undefined ? '' : `:${line}`}: ${method} ${path} (${pointer}) ${isNot}: ${why}`,
      ),
    })),
  );
  const cut =
    left > 0 ? [{ level: 'warning', message: message(`${amount(left, 'further result')} left out`) }] : [];
  const execution = [...skipped, ...cut];
  return {
    ...(configuration.length > 0 && { toolConfigurationNotifications: configuration }),
    ...(execution.length > 0 && { toolExecutionNotifications: execution }),
  };
}

function* resultsOf(
  report: Report,
  kept: readonly Placed[],
  indexes: ReadonlyMap<string, number>,
  options: Options,
) {
  const fingerprints = fingerprintsOf(report);
  const isCompared =
    options.hasBaseline ||
    summaryOf(report).breaks !== undefined ||
    kept.some(({ finding: { excuse } }) => excuse?.by === 'baseline');
  // Where one result says whether it is suppressed, each has to.
  const saysSuppressed = kept.some(({ finding: { excuse } }) => excuse?.by === 'suppression');
  for (const { file, subject, finding } of kept) {
    const { rule, severity, excuse } = finding;
    yield {
      ruleId: rule,
      ruleIndex: indexes.get(rule),
      level: LEVELS[severity],
      message: message(finding.message, finding.hint),
      locations: [locationOf(file, subject, finding, options)],
      partialFingerprints: { 'patchgateFinding/v1': fingerprints.get(finding) },
      ...(isCompared && { baselineState: excuse?.by === 'baseline' ? 'unchanged' : 'new' }),
      ...(saysSuppressed && { suppressions: suppressionsOf(finding) }),
    };
  }
}

function suppressionsOf({ excuse }: PlacedFinding) {
  if (excuse?.by !== 'suppression') return [];
  return [{ kind: 'external', status: 'accepted', justification: excuse.reason }];
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
