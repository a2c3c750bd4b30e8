import type { JsonObject } from '../../json/json.ts';
import { type Effect, losesEnvironment } from '../../model/effect.ts';
import { redactEffect } from '../../recordings/redaction/redact-finding.ts';
import { environment } from '../../reporters/effect-text.ts';
import { effectLine } from '../../reporters/plan.ts';
import { type PlacedFinding, summaryOf } from '../../reporters/report.ts';
import { amount, visible } from '../../reporters/wording.ts';
import { type Environment, environmentsOf, languagesOf } from '../../state/project.ts';
import type { ExpectedDeletions, ExpectedFinding, JudgedWith, PassOptions } from './assertions.ts';
import { givenBody } from './given-body.ts';
import { type Judge, knownOf } from './judge.ts';
import {
  checkMembers,
  comparing,
  misused,
  named,
  type Outcome,
  paintOf,
  type Runner,
  told,
  unusable,
} from './runner.ts';
import { showing } from './shown-value.ts';

export function passGate(
  runner: Runner,
  judge: Judge,
  body: unknown,
  operation: string,
  options: PassOptions = {},
): Outcome {
  const called = { name: 'toPassGate', received: 'body', expected: 'operation' };
  const names = ['failOn', 'path', 'headers', 'state'];
  checkMembers(called.name, 'what is given beside the operation', options, names, { mayBeUndefined: true });
  const { failOn = judge.failOn } = options;
  if (failOn !== 'error' && failOn !== 'warn')
    throw misused(called.name, `failOn cannot be ${named(failOn)}`, 'it is "error" or "warn"');
  const given = givenBody(body, judge.gate.bodyLimit);
  if ('wrong' in given) return unusable(runner, called, given.wrong);
  const judged = judge.judge(called.name, given.bytes, operation, options);
  const { subject, verdict } = judged;
  const message = () => {
    const file = { file: 'body', kind: 'body', subjects: [subject], unjudged: 0 } as const;
    const { errors, warnings, omitted } = summaryOf({ files: [file] });
    const found = [
      ...(errors > 0 ? [amount(errors, 'error')] : []),
      ...(warnings > 0 ? [amount(warnings, 'warning')] : []),
      ...(omitted > 0 ? [`${omitted} more`] : []),
    ];
    const does =
      verdict.outcome === 'block'
        ? `would block this ${operation} with ${verdict.status}`
        : `lets this ${operation} pass`;
    return told(runner, called, [
      `The gate ${does}: ${found.join(', ') || 'no findings'}`,
      judge.textOf(subject, paintOf(runner)),
    ]);
  };
  return { pass: judge.passes(judged, failOn), message };
}

const FINDING = ['rule', 'severity', 'basis', 'pointer', 'message', 'hint', 'source', 'line', 'column'];

export function haveFinding(
  runner: Runner,
  judge: Judge,
  body: unknown,
  operation: string,
  expected: ExpectedFinding,
  options: JudgedWith = {},
): Outcome {
  const called = {
    name: 'toHaveFinding',
    received: 'body',
    expected: 'operation',
    secondArgument: 'finding',
  };
  checkMembers(called.name, 'the finding that is expected', expected, FINDING);
  const names = ['path', 'headers', 'state'];
  checkMembers(called.name, 'what is given beside the finding', options, names, { mayBeUndefined: true });
  if (Object.keys(expected).length === 0)
    throw misused(
      called.name,
      'nothing says which finding is meant',
      `give at least one of ${FINDING.join(', ')}`,
    );
  if (typeof expected.rule === 'string') judge.checkRule(called.name, expected.rule);
  const given = givenBody(body, judge.gate.bodyLimit);
  if ('wrong' in given) return unusable(runner, called, given.wrong);
  const { subject } = judge.judge(called.name, given.bytes, operation, options);
  const { findings, omitted } = subject;
  const equals = comparing(runner);
  const matches = (finding: PlacedFinding) =>
    Object.entries(expected).every(([name, value]) => equals(finding[name as keyof PlacedFinding], value));
  const pass = findings.some(matches);
  // It may be among those that are not reported.
  if (!pass && omitted > 0)
    return unusable(
      runner,
      called,
      `The gate has ${amount(omitted, 'more finding')} of this ${operation} than it reports.`,
    );
  const message = () => {
    const show = showing(runner, judge.redaction);
    const wanted = Object.entries(expected).map(([name, value]) => `  ${name}: ${show(value)}`);
    const paint = paintOf(runner);
    return told(
      runner,
      called,
      pass
        ? [`The gate has this finding of this ${operation}:`, judge.textOf(subject, paint, matches)]
        : [
            [`The gate has no such finding of this ${operation}:`, ...wanted].join('\n'),
            findings.length === 0 ? 'It has no findings.' : `It has ${amount(findings.length, 'finding')}:`,
            judge.textOf(subject, paint),
          ],
    );
  };
  return { pass, message };
}

const DELETE = 'toDelete';
const LOSSES = ['project.environment-deleted', 'project.environment-replaced', 'project.language-removed'];
/** What is lost is for the matcher to judge, whatever severity the settings give it. */
const NO_OBSTACLES = [...LOSSES, 'project.empty-list'];

export function deletes(
  runner: Runner,
  judge: Judge,
  body: unknown,
  expected: ExpectedDeletions,
  state: object,
): Outcome {
  const called = { name: DELETE, received: 'body', expected: 'deletions', secondArgument: 'state' };
  const { gate } = judge;
  const operation = gate.operations.find((name) => gate.kindOf(name) === 'project');
  if (operation === undefined)
    throw misused(
      DELETE,
      'the contract has no operation that changes a project',
      `operations: ${gate.operations.join(', ')}`,
    );
  const { record } = knownOf(DELETE, 'project', operation, state);
  const { environments, languages } = wantedOf(expected, record);
  const given = givenBody(body, gate.bodyLimit);
  if ('wrong' in given) return unusable(runner, called, given.wrong);
  const { subject, effects = [] } = judge.judge(DELETE, given.bytes, operation, { state }, true);
  const paint = paintOf(runner);
  const isObstacle = ({ rule, severity }: PlacedFinding) =>
    severity === 'error' && !NO_OBSTACLES.includes(rule);
  if (subject.findings.some(isObstacle))
    return unusable(
      runner,
      called,
      `The gate would block this ${operation} in any case, so it deletes nothing:\n\n${judge.textOf(subject, paint, isObstacle)}`,
    );
  const lost = effects.filter(losesEnvironment);
  const removed = effects.filter((effect): effect is NamedEffect => effect.kind === 'language-removed');
  const isUnexpected =
    lost.some(({ id }) => !environments.some((one) => one.id === id)) ||
    removed.some(({ name }) => languages && !languages.includes(name));
  const kept = [
    ...environments.filter(({ id }) => !lost.some((one) => one.id === id)).map(environment),
    ...(languages ?? []).filter((name) => !removed.some((one) => one.name === name)).map(languageText),
  ];
  const isLoss = ({ rule }: PlacedFinding) =>
    LOSSES.includes(rule) && (languages !== undefined || rule !== 'project.language-removed');
  const message = () => {
    const nothing = languages ? 'no environment and no language' : 'no environment';
    const wanted = [...environments.map(environment), ...(languages ?? []).map(languageText)];
    const beginning = runner.isNot ? 'Expected something else to be deleted than' : 'Expected to be deleted';
    const shown = (languages ? [...lost, ...removed] : lost).map((effect) =>
      effectLine(redactEffect(effect, judge.redaction), paint).slice(2),
    );
    return told(runner, called, [
      `${beginning}: ${wanted.join(', ') || nothing}`,
      listed('This PATCH deletes:', shown) || `This PATCH deletes ${nothing}.`,
      listed('To be deleted, and kept:', kept),
      isUnexpected ? judge.textOf(subject, paint, isLoss) : '',
    ]);
  };
  return { pass: !isUnexpected && kept.length === 0, message };
}

type NamedEffect = Extract<Effect, { kind: 'language-added' | 'language-removed' }>;

/** @throws Error where it is none, or names what the project does not have */
function wantedOf(expected: ExpectedDeletions, project: JsonObject) {
  const what = 'what is to be deleted';
  checkMembers(DELETE, what, expected, ['environments', 'languages']);
  const { environments, languages } = expected;
  if (!Array.isArray(environments) || (languages !== undefined && !Array.isArray(languages)))
    throw misused(
      DELETE,
      `${what} has no list of ${Array.isArray(environments) ? 'languages' : 'environments'}`,
      'give their ids or names; [] where none is to be deleted: { environments: [] }',
    );
  const all = environmentsOf(project);
  const known = languagesOf(project);
  const missing = languages?.find((name: string) => !known.has(name));
  if (missing !== undefined)
    throw misused(
      DELETE,
      `the state has no language ${named(missing)}`,
      `it has: ${[...known].join(', ') || 'none'}`,
    );
  return { environments: environments.map((one: number | string) => environmentIn(all, one)), languages };
}

function environmentIn(all: readonly Environment[], wanted: number | string): Environment {
  const found = all.filter(({ id, name }) => (typeof wanted === 'number' ? id : name) === wanted);
  const [first, second] = found;
  if (first && !second) return first;
  const several = `the state has several environments ${named(wanted)}`;
  if (first) throw misused(DELETE, several, `give the id: ${found.map(({ id }) => id).join(', ')}`);
  const there = all.map(environment).join(', ') || 'none';
  throw misused(DELETE, `the state has no environment ${named(wanted)}`, `it has: ${there}`);
}

/** Lines that are shown. */
const MOST_LINES = 50;

function listed(heading: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const more = lines.length - MOST_LINES;
  return [
    heading,
    ...lines.slice(0, MOST_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${amount(more, 'more')}`] : []),
  ].join('\n');
}

function languageText(name: string): string {
  return `language ${visible(name)}`;
}
