import type { JsonObject } from '../json/json.ts';
import type { Approval } from '../model/approval.ts';
import { type Effect, losesEnvironment } from '../model/effect.ts';
import type { Finding } from '../model/finding.ts';
import { coloured, type Paint, plain } from './colours.ts';
import { effectText, quoted } from './effect-text.ts';
import { findingOf } from './json.ts';
import { STDIN_NAME } from './report.ts';
import { amount, grouped, markdown, visible } from './wording.ts';

/** What a PATCH of a project would do: what `plan` reports. */
export interface Plan {
  /** Its id. */
  project: string;
  /** As it is called now, where that is known. */
  name: string | undefined;
  /** The file that holds the body, as given; `<stdin>` for standard input. */
  body: string;
  /** Where the project's state is known from, for people: `.patchgate/state.json, written 3m ago`. */
  source: string;
  /** `part`: the project may hold more than that. */
  known: 'whole' | 'part' | 'nothing';
  /** What is lost first. */
  effects: readonly Effect[];
  /** The body that loses no environment; only where it would lose one. */
  corrected: JsonObject | undefined;
  /** Errors for which the gate would block the PATCH, whatever it loses. */
  findings: readonly Finding[];
  /** Where nothing, or only a part, is known: what to do about it. */
  advice: string;
}

/** `lost`: an environment that was not allowed to go; `kept`: none is lost; `unclear`: not all is known. */
type PlanOutcome = 'kept' | 'lost' | 'unclear';

export function outcomeOf({ effects, known }: Pick<Plan, 'effects' | 'known'>): PlanOutcome {
  if (effects.some((effect) => losesEnvironment(effect) && !effect.allowed)) return 'lost';
  return known === 'whole' ? 'kept' : 'unclear';
}

/** Why it is unclear what is lost; undefined where all is known. */
export function doubtOf({ known, project, source }: Plan): string | undefined {
  if (known === 'whole') return undefined;
  return known === 'nothing'
    ? `nothing is known of project ${project} in ${source}`
    : `not all of project ${project} is known from ${source}: it may hold more environments`;
}

/**
 * For programs:
 *
 * ```
 * { "known": true,                                     false: nothing or not all is known of the project
 *   "effects": [                                       what is lost first
 *     { "kind": "environment-deleted", "id": 2, "name": "Staging" }, … ],
 *   "corrected": { … },                                the body that loses no environment; only where one would be lost
 *   "findings": [ { "rule": "schema.required", … } ]   why the gate would block it in any case, as in `check`; only where it would
 * }
 * ```
 */
export function planJson({ known, effects, corrected, findings }: Plan): string {
  const plan = {
    known: known === 'whole',
    effects,
    ...(corrected && { corrected }),
    ...(findings.length > 0 && { findings: findings.map(findingOf) }),
  };
  return `${JSON.stringify(plan, null, 2)}\n`;
}

/** For people: a line for each effect, one for all of them, and where something is lost how to keep it, or to let it go. */
export function planText(plan: Plan, isColoured: boolean): string {
  const paint = isColoured ? coloured : plain;
  const { project, name, source, effects, known } = plan;
  const called = name === undefined ? '' : ` ${quoted(name)}`;
  const sections = [
    `Project ${project}${called}${known === 'nothing' ? '' : `, as known from ${visible(source)}`}`,
    effects.map((effect) => effectLine(effect, paint)).join('\n'),
    known === 'nothing' ? '' : summaryOf(effects, outcomeOf(plan) === 'kept'),
    findingsText(plan),
    doubtText(plan),
    remediesOf(plan).join('\n'),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** Characters of a list: GitHub takes 65,536 of a comment. */
const LIST_LENGTH = 20_000;

/** For a comment in a pull request: what is lost stands first, and in bold. */
export function planMarkdown(plan: Plan): string {
  const { body, effects, findings, known, source } = plan;
  const lost = effects.filter(losesEnvironment);
  const changes = effects.map((effect) => {
    const text = markdown(effectText(effect)[2]);
    return losesEnvironment(effect) ? `**${text}**` : text;
  });
  const errors = findings.map(({ rule, message, hint, line, column = 1 }) => {
    const place = line === undefined ? body : `${body}:${line}:${column}`;
    return markdown(visible(`${place}: ${rule}: ${message}${hint === undefined ? '' : `; ${hint}`}`));
  });
  const isKept = outcomeOf(plan) === 'kept';
  const sections = [
    `### Patchgate: ${markdown(headingOf(plan, lost.length))}`,
    listOf(changes),
    known === 'nothing' ? '' : summaryOf(effects, isKept),
    errors.length > 0 ? `The gate would block this PATCH in any case:\n\n${listOf(errors)}` : '',
    markdown(doubtText(plan)),
    listOf(remediesOf(plan).map(markdown)),
    known === 'nothing' ? '' : `What the project holds is known from ${markdown(visible(source))}.`,
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** `this PATCH deletes 2 environments of project 42 "Checkout"` */
function headingOf(plan: Plan, lost: number): string {
  const { project, name } = plan;
  const of = `project ${project}${name === undefined ? '' : ` ${quoted(name)}`}`;
  if (lost > 0) return `this PATCH deletes ${amount(lost, 'environment')} of ${of}`;
  return outcomeOf(plan) === 'kept'
    ? `this PATCH deletes no environment of ${of}`
    : `it is not known what this PATCH deletes of ${of}`;
}

function listOf(items: readonly string[]): string {
  let length = 0;
  const lines = items.map((item) => `- ${item}`);
  const shown = lines.filter((line) => {
    length += line.length + 1;
    return length <= LIST_LENGTH;
  });
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`- and ${grouped(more)} more`] : [])].join('\n');
}

/** As wide as the widest mark. */
const MARK_WIDTH = 3;

/** `  - environment 2 "Staging" will be deleted permanently` */
export function effectLine(effect: Effect, paint: Paint): string {
  const [mark, colour, text] = effectText(effect);
  return `  ${paint(colour, `${mark.padStart(MARK_WIDTH)} ${text}`)}`;
}

/** Effects that are shown beside others. */
const FIRST_EFFECTS = 10;

/** A line for each of the first effects of a PATCH that is blocked for them, and how many more it loses. What is lost comes first. */
export function firstEffects(
  { effects, effectsOmitted = 0 }: Pick<Approval, 'effects' | 'effectsOmitted'>,
  paint: Paint,
  most = FIRST_EFFECTS,
): string[] {
  if (effects.length === 0) return ['    it is not known what it deletes'];
  const shown = effects.slice(0, most).map((effect) => effectLine(effect, paint));
  const lost = effects.slice(most).filter(losesEnvironment).length;
  const others = effects.length - shown.length - lost + effectsOmitted;
  return [
    ...shown,
    ...(lost > 0 ? [`    and ${amount(lost, 'more deletion')}`] : []),
    ...(others > 0 ? [`    and ${amount(others, 'more change')}`] : []),
  ];
}

/** What is counted, in this order. */
const COUNTS: readonly [text: (count: number) => string, ...kinds: Effect['kind'][]][] = [
  [(count) => `${count} to create`, 'environment-created'],
  [(count) => `${count} to delete`, 'environment-deleted'],
  [(count) => `${count} to replace`, 'environment-replaced'],
  [(count) => `${count} to rename`, 'environment-renamed'],
  [(count) => `${amount(count, 'language')} to add`, 'language-added'],
  [(count) => `${amount(count, 'language')} to remove`, 'language-removed'],
  [(count) => amount(count, 'other change'), 'default-changed', 'name-changed'],
];

function summaryOf(effects: readonly Effect[], isKept: boolean): string {
  if (effects.length === 0) return isKept ? 'No changes: the project stays as it is.' : '';
  const counts = COUNTS.flatMap(([text, ...kinds]) => {
    const count = effects.filter(({ kind }) => kinds.includes(kind)).length;
    return count === 0 ? [] : [text(count)];
  });
  const lossless = isKept && !effects.some(losesEnvironment) ? ' No environment is lost.' : '';
  return `Plan: ${counts.join(', ')}.${lossless}`;
}

function findingsText({ body, findings }: Plan): string {
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
  const verdict = outcomeOf(plan) === 'unclear' ? ' So it is not known what this PATCH deletes.' : '';
  return `${visible(said)}${verdict}\nTo know it: ${plan.advice}`;
}

function remediesOf(plan: Plan): string[] {
  if (outcomeOf(plan) !== 'lost') return [];
  const file = plan.body === STDIN_NAME ? 'FILE' : visible(plan.body);
  const keep = `To keep what would be lost: --write-full ${file} writes the body that does.`;
  // A token suppresses no other finding.
  if (plan.findings.length > 0) return [keep];
  const letGo = [
    'To let it go: send the PATCH through patchgate proxy; it answers 409 with a token. Send it again with that token',
    'in the header Patchgate-Approve. Names that may always go: --allow-delete PATTERN.',
  ];
  return [keep, letGo.join('\n')];
}
