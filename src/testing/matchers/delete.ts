import type { JsonObject } from '../../json/json.ts';
import { type Effect, type LosingEffect, losesEnvironment } from '../../model/effect.ts';
import type { Paint } from '../../reporters/colours.ts';
import { effectLine } from '../../reporters/plan.ts';
import { amount, shortened, visible } from '../../reporters/wording.ts';
import { type Environment, environmentsOf, languagesOf } from '../../state/environments.ts';
import type { ExpectedDeletions } from './assertions.ts';
import { givenBody } from './body-bytes.ts';
import { checkMembers } from './check-members.ts';
import type { Judge } from './judge.ts';
import { knownOf } from './known-of.ts';
import { misused, named, type Outcome, paintOf, type Runner, told, unusable } from './runner.ts';

const NAME = 'toDelete';
const CALLED = { name: NAME, received: 'body', expected: 'deletions', secondArgument: 'state' };
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
  const { gate } = judge;
  const operation = gate.operations.find((name) => gate.kindOf(name) === 'project');
  if (operation === undefined)
    throw misused(
      NAME,
      'the contract has no operation that changes a project',
      `operations: ${gate.operations.join(', ')}`,
    );
  const { record } = knownOf(NAME, 'project', operation, state);
  const wanted = wantedOf(expected, record);
  const given = givenBody(body, gate.bodyLimit);
  if ('wrong' in given) return unusable(runner, CALLED, given.wrong);
  const judged = judge.judge(NAME, given.bytes, operation, { state, isApproved: true });
  const { subject, effects = [] } = judged;
  const paint = paintOf(runner);
  const obstacles = subject.findings.filter(
    ({ rule, severity }) => severity === 'error' && !NO_OBSTACLES.includes(rule),
  );
  if (obstacles.length > 0)
    return unusable(
      runner,
      CALLED,
      `The gate would block this ${operation} in any case, so it deletes nothing:\n\n${judge.textOf(subject, paint, (finding) => obstacles.includes(finding))}`,
    );
  const lost = effects.filter(losesEnvironment);
  const removed = effects.filter(({ kind }) => kind === 'language-removed') as NamedEffect[];
  const unexpected: Effect[] = [
    ...lost.filter(({ id }) => !wanted.environments.some((one) => one.id === id)),
    ...removed.filter(({ name }) => wanted.languages && !wanted.languages.includes(name)),
  ];
  const kept = [
    ...wanted.environments.filter(({ id }) => !lost.some((one) => one.id === id)).map(environmentText),
    ...(wanted.languages ?? []).filter((name) => !removed.some((one) => one.name === name)).map(languageText),
  ];
  const message = () =>
    told(runner, CALLED, [
      expectedText(runner.isNot ?? false, wanted),
      effectsText(judge.withoutSecrets(wanted.languages ? [...lost, ...removed] : lost), wanted, paint),
      listed('To be deleted, and kept:', kept),
      unexpected.length === 0
        ? ''
        : judge.textOf(
            subject,
            paint,
            ({ rule }) =>
              LOSSES.includes(rule) &&
              (wanted.languages !== undefined || rule !== 'project.language-removed'),
          ),
    ]);
  return { pass: unexpected.length + kept.length === 0, message };
}

type NamedEffect = Extract<Effect, { kind: 'language-added' | 'language-removed' }>;

interface Wanted {
  environments: readonly Environment[];
  languages: readonly string[] | undefined;
}

/** @throws Error where it is none, or names what the project does not have */
function wantedOf(expected: ExpectedDeletions, project: JsonObject): Wanted {
  const what = 'what is to be deleted';
  checkMembers(NAME, what, expected, ['environments', 'languages']);
  const { environments, languages } = expected;
  if (!Array.isArray(environments) || (languages !== undefined && !Array.isArray(languages)))
    throw misused(
      NAME,
      `${what} has no list of ${Array.isArray(environments) ? 'languages' : 'environments'}`,
      'give their ids or names; [] where none is to be deleted: { environments: [] }',
    );
  const all = environmentsOf(project);
  const known = languagesOf(project);
  const missing = languages?.find((name: string) => !known.has(name));
  if (missing !== undefined)
    throw misused(
      NAME,
      `the state has no language ${named(missing)}`,
      `it has: ${[...known].join(', ') || 'none'}`,
    );
  return { environments: environments.map((one: number | string) => environmentIn(all, one)), languages };
}

function environmentIn(all: readonly Environment[], wanted: number | string): Environment {
  const [found, ...others] = all.filter(
    ({ id, name }) => (typeof wanted === 'number' ? id : name) === wanted,
  );
  if (found && others.length === 0) return found;
  const what = named(wanted);
  throw found
    ? misused(
        NAME,
        `the state has several environments ${what}`,
        `give the id: ${[found, ...others].map(({ id }) => id).join(', ')}`,
      )
    : misused(
        NAME,
        `the state has no environment ${what}`,
        `it has: ${all.map(environmentText).join(', ') || 'none'}`,
      );
}

function expectedText(isNot: boolean, wanted: Wanted): string {
  const { environments, languages = [] } = wanted;
  const names = [...environments.map(environmentText), ...languages.map(languageText)];
  const beginning = isNot ? 'Expected something else to be deleted than' : 'Expected to be deleted';
  return `${beginning}: ${names.join(', ') || nothingOf(wanted)}`;
}

function effectsText(effects: readonly Effect[], wanted: Wanted, paint: Paint): string {
  if (effects.length === 0) return `This PATCH deletes ${nothingOf(wanted)}.`;
  const lines = effects.map((effect) => effectLine(effect, paint).slice(2));
  return listed('This PATCH deletes:', lines);
}

function nothingOf({ languages }: Wanted): string {
  return languages ? 'no environment and no language' : 'no environment';
}

/** Lines that are shown. */
const MOST = 50;

function listed(heading: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const more = lines.length - MOST;
  return [
    heading,
    ...lines.slice(0, MOST).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${amount(more, 'more')}`] : []),
  ].join('\n');
}

function environmentText({ id, name }: Pick<LosingEffect, 'id' | 'name'>): string {
  return `environment ${id}${name === '' ? '' : ` "${visible(shortened(name, 200))}"`}`;
}

function languageText(name: string): string {
  return `language ${visible(name)}`;
}
