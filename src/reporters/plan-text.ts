import { type Effect, losesEnvironment } from '../model/effect.ts';
import type { Finding } from '../model/finding.ts';
import { type Colour, coloured, type Paint, plain } from './colours.ts';
import { doubtOf, outcomeOf, type Plan } from './plan.ts';
import { amount, visible } from './wording.ts';

/** For people: a line for each effect, one for all of them, and where something is lost how to keep it, or to let it go. */
export function planText(plan: Plan, isColoured: boolean): string {
  const paint = isColoured ? coloured : plain;
  const { effects, findings, known } = plan;
  const sections = [
    headline(plan),
    effects.map((effect) => effectLine(effect, paint)).join('\n'),
    known === 'nothing' ? '' : summaryOf(effects, outcomeOf(plan) === 'kept'),
    findingsText(plan, findings),
    doubtText(plan),
    waysOut(plan),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function headline({ project, name, source, known }: Plan): string {
  const called = name === undefined ? '' : ` ${quoted(name)}`;
  return `Project ${project}${called}${known === 'nothing' ? '' : `, as known from ${visible(source)}`}`;
}

/** As wide as the widest mark. */
const MARK_WIDTH = 3;

/** `  - environment 2 "Staging" will be deleted permanently` */
export function effectLine(effect: Effect, paint: Paint): string {
  const [mark, colour, text] = lineOf(effect);
  return `  ${paint(colour, `${mark.padStart(MARK_WIDTH)} ${text}`)}`;
}

function lineOf(effect: Effect): [mark: string, colour: Colour, text: string] {
  switch (effect.kind) {
    case 'environment-deleted':
      return [
        '-',
        'red',
        `${environment(effect)} will be deleted permanently${doubt(effect)}${allowance(effect)}`,
      ];
    case 'environment-replaced': {
      const { id, newId, likelyTypo } = effect;
      const typo = likelyTypo ? `; likely a typo: did you mean ${id}?` : '';
      const text = `${environment(effect)} will be deleted permanently, and ${newId} created in its place`;
      return ['-/+', 'red', text + typo + doubt(effect) + allowance(effect)];
    }
    case 'environment-created':
      return ['+', 'green', `${environment(effect)} will be created`];
    case 'environment-renamed':
      return ['~', 'yellow', `${environment(effect)} will be renamed to ${quoted(effect.to)}`];
    case 'default-changed':
      return ['~', 'yellow', `default environment: ${idsOf(effect.from)} -> ${idsOf(effect.to)}`];
    case 'language-added':
      return ['+', 'green', `language ${visible(effect.name)} will be added`];
    case 'language-removed':
      return ['-', 'red', `language ${visible(effect.name)} will be removed`];
    case 'name-changed':
      return ['~', 'yellow', `the project will be renamed to ${quoted(effect.to)}`];
    case 'variable-removed':
    case 'variation-removed':
    case 'goal-removed':
      return ['-', 'red', `${effect.kind.replace('-removed', '')} ${visible(`${effect.id}`)} may be removed`];
  }
}

function environment({ id, name }: { id: number; name: string }): string {
  return `environment ${id}${name === '' ? '' : ` ${quoted(name)}`}`;
}

function doubt({ possibleSince }: { possibleSince?: string }): string {
  return possibleSince === undefined
    ? ''
    : ` where it still exists (only possible since ${visible(possibleSince)})`;
}

function allowance({ allowed }: { allowed?: true }): string {
  return allowed ? ' (as --allow-delete says)' : '';
}

function idsOf(ids: readonly number[]): string {
  return ids.length === 0 ? 'none' : ids.join(', ');
}

/** UTF-16 code units of a name that are shown. */
const MOST_SHOWN = 200;

function quoted(name: string): string {
  return `"${visible(name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name)}"`;
}

/** What is counted, in this order. */
const COUNTS: readonly [text: (count: number) => string, kinds: readonly Effect['kind'][]][] = [
  [(count) => `${count} to create`, ['environment-created']],
  [(count) => `${count} to delete`, ['environment-deleted']],
  [(count) => `${count} to replace`, ['environment-replaced']],
  [(count) => `${count} to rename`, ['environment-renamed']],
  [(count) => `${amount(count, 'language')} to add`, ['language-added']],
  [(count) => `${amount(count, 'language')} to remove`, ['language-removed']],
  [(count) => `${amount(count, 'other change')}`, ['default-changed', 'name-changed']],
];

function summaryOf(effects: readonly Effect[], isKept: boolean): string {
  if (effects.length === 0) return isKept ? 'No changes: the project stays as it is.' : '';
  const counts = COUNTS.flatMap(([text, kinds]) => {
    const count = effects.filter(({ kind }) => kinds.includes(kind)).length;
    return count === 0 ? [] : [text(count)];
  });
  const lossless = isKept && !effects.some(losesEnvironment) ? ' No environment is lost.' : '';
  return `Plan: ${counts.join(', ')}.${lossless}`;
}

function findingsText({ body }: Plan, findings: readonly Finding[]): string {
  if (findings.length === 0) return '';
  const lines = findings.flatMap(({ rule, message, hint, line, column }) => [
    visible(`  ${line === undefined ? body : `${body}:${line}:${column ?? 1}`}  ${rule}  ${message}`),
    ...(hint === undefined ? [] : [visible(`    hint: ${hint}`)]),
  ]);
  return ['The gate would block this PATCH in any case:', ...lines].join('\n');
}

function doubtText(plan: Plan): string {
  const doubt = doubtOf(plan);
  if (doubt === undefined) return '';
  const said = `${doubt.slice(0, 1).toUpperCase()}${doubt.slice(1)}.`;
  const verdict = outcomeOf(plan) === 'unclear' ? ' So nobody can tell what this PATCH deletes.' : '';
  return `${visible(said)}${verdict}\nTo know it: ${plan.advice}`;
}

function waysOut(plan: Plan): string {
  if (outcomeOf(plan) !== 'lost') return '';
  const file = plan.body === '<stdin>' ? 'FILE' : visible(plan.body);
  const keep = `To keep what would be lost: --write-full ${file} writes the body that does.`;
  // What is wrong besides, no token excuses.
  if (plan.findings.length > 0) return keep;
  return [
    keep,
    'To let it go: send the PATCH through patchgate proxy; it answers 409 with a token. Send it again with that token',
    'in the header Patchgate-Approve. Names that may always go: --allow-delete PATTERN.',
  ].join('\n');
}
