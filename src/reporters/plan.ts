import type { JsonObject } from '../json/json.ts';
import type { Approval } from '../model/approval.ts';
import { type Effect, losesEnvironment } from '../model/effect.ts';
import type { Finding } from '../model/finding.ts';
import { coloured, type Paint, plain } from './colours.ts';
import { effectText, quoted } from './effect-text.ts';
import { findingOf } from './json.ts';
import { STDIN_NAME } from './report.ts';
import { amount, visible } from './wording.ts';

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

/** For programs: `{ known, effects, corrected, findings }`; `known` is true if the whole project is known. */
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

/** The changes of environments, in the order of the sum. */
const COUNTED: Partial<Record<Effect['kind'], string>> = {
  'environment-created': 'to create',
  'environment-deleted': 'to delete',
  'environment-replaced': 'to replace',
  'environment-renamed': 'to rename',
};

function summaryOf(effects: readonly Effect[], isKept: boolean): string {
  if (effects.length === 0) return isKept ? 'No changes: the project stays as it is.' : '';
  const counts = Object.entries(COUNTED).flatMap(([counted, word]) => {
    const count = effects.filter(({ kind }) => kind === counted).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  const others = effects.filter(({ kind }) => !(kind in COUNTED)).length;
  if (others > 0) counts.push(amount(others, 'other change'));
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
