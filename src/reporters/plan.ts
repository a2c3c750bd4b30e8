import type { JsonObject } from '../json/json.ts';
import type { Approval } from '../model/approval.ts';
import { type Effect, losesEnvironment } from '../model/effect.ts';
import type { Finding } from '../model/finding.ts';
import { coloured, type Paint, plain } from './colours.ts';
import { effectText, quoted } from './effect-text.ts';
import { findingOf } from './json.ts';
import { placeOf } from './report.ts';
import { amount, visible } from './wording.ts';

/** What a PATCH of a project would do: what `plan` reports. */
export interface Plan {
  /** The project's id and its name now. */
  project: string;
  name: string | undefined;
  /** The file that holds the body. */
  body: string;
  /** Where the project's state is known from, and what to do if that is not enough. */
  source: string;
  advice: string;
  /** `part`: the project may hold more than that. */
  known: 'whole' | 'part' | 'nothing';
  /** Losses first. */
  effects: readonly Effect[];
  /** The body that loses no environment; only if it would lose one. */
  corrected: JsonObject | undefined;
  /** Errors for which the gate would block the PATCH, whatever it loses. */
  findings: readonly Finding[];
}

/** `lost`: an environment that was not allowed to go; `kept`: none is lost; `unclear`: not all is known. */
export function outcomeOf({ effects, known }: Pick<Plan, 'effects' | 'known'>): 'kept' | 'lost' | 'unclear' {
  if (effects.some((effect) => losesEnvironment(effect) && !effect.allowed)) return 'lost';
  return known === 'whole' ? 'kept' : 'unclear';
}

/** Why the losses are unclear; undefined if all is known. */
export function doubtOf({ known, project, source }: Plan): string | undefined {
  if (known === 'whole') return undefined;
  return known === 'nothing'
    ? `nothing is known of project ${project} in ${source}`
    : `not all of project ${project} is known from ${source}: it may hold more environments`;
}

/** For programs: `{ known, effects, corrected, findings }`; `known` is true if the whole project is known. */
export function planJson({ known, effects, corrected, findings }: Plan): string {
  const found = findings.length > 0 && { findings: findings.map(findingOf) };
  return `${JSON.stringify({ known: known === 'whole', effects, corrected, ...found }, null, 2)}\n`;
}

/** For people: a line for each effect, one for all of them, and how to keep losses, or to allow them. */
export function planText(plan: Plan, isColoured: boolean): string {
  const { project, name, source, effects, known } = plan;
  const outcome = outcomeOf(plan);
  const called = name === undefined ? '' : ` ${quoted(name)}`;
  const sections = [
    `Project ${project}${called}${known === 'nothing' ? '' : `, as known from ${visible(source)}`}`,
    effects.map((effect) => effectLine(effect, isColoured ? coloured : plain)).join('\n'),
    known === 'nothing' ? '' : summaryOf(effects, outcome === 'kept'),
    findingsText(plan),
    doubtText(plan, outcome === 'unclear'),
    outcome === 'lost' ? remediesText(plan) : '',
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** `    - environment 2 "Staging" will be deleted permanently` */
function effectLine(effect: Effect, paint: Paint): string {
  const [mark, colour, text] = effectText(effect);
  return `  ${paint(colour, `${mark.padStart(3)} ${text}`)}`;
}

/** A line for each of the first effects of a PATCH that is blocked for them, and how many more it loses. Losses come first. */
export function firstEffects(
  { effects, effectsOmitted = 0 }: Pick<Approval, 'effects' | 'effectsOmitted'>,
  paint: Paint,
  most = 10,
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

function summaryOf(effects: readonly Effect[], isKept: boolean): string {
  if (effects.length === 0) return isKept ? 'No changes: the project stays as it is.' : '';
  const counts: string[] = [];
  for (const verb of ['create', 'delete', 'replace', 'rename']) {
    const count = effects.filter(({ kind }) => kind === `environment-${verb}d`).length;
    if (count > 0) counts.push(`${count} to ${verb}`);
  }
  const others = effects.filter(({ kind }) => !kind.startsWith('environment-')).length;
  if (others > 0) counts.push(amount(others, 'other change'));
  const lossless = isKept && !effects.some(losesEnvironment) ? ' No environment is lost.' : '';
  return `Plan: ${counts.join(', ')}.${lossless}`;
}

function findingsText({ body, findings }: Plan): string {
  if (findings.length === 0) return '';
  const lines = findings.map((finding) =>
    visible(`  ${placeOf(body, finding)}  ${finding.rule}  ${finding.message}`),
  );
  return ['The gate would block this PATCH in any case:', ...lines].join('\n');
}

function doubtText(plan: Plan, isUnclear: boolean): string {
  const doubt = doubtOf(plan);
  if (doubt === undefined) return '';
  const verdict = isUnclear ? ' So it is not known what this PATCH deletes.' : '';
  return `${visible(doubt.replace(/^n/, 'N'))}.${verdict}\nTo know it: ${plan.advice}`;
}

function remediesText({ findings }: Plan): string {
  const keep =
    'To keep what would be lost: send the body that is "corrected" in the plan with --format json.';
  // A token suppresses no other finding.
  if (findings.length > 0) return keep;
  return `${keep}
To let it go: send the PATCH through patchgate proxy; it answers 409 with a token. Send it again with that token
in the header Patchgate-Approve. Names that may always go: --allow-delete PATTERN.`;
}
