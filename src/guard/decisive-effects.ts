import type { Approval } from '../model/approval.ts';
import { type Effect, losesEnvironment } from '../model/effect.ts';
import { redactEffect } from '../recordings/redact/redact.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { shortened } from '../reporters/wording.ts';

/** Effects that are named in all, unless more are lost. */
const MOST_EFFECTS = 100;
/** Characters of a name. */
const LONGEST_NAME = 200;

/** What people decide by, and read later: every environment that is lost, then other effects as far as there is room. Redacted. */
export function decisiveEffects(
  effects: readonly Effect[],
  redaction: Redaction,
): Pick<Approval, 'effects' | 'effectsOmitted'> {
  const lost = effects.filter(losesEnvironment);
  const room = Math.max(0, MOST_EFFECTS - lost.length);
  const named = [...lost, ...effects.filter((effect) => !losesEnvironment(effect)).slice(0, room)];
  const omitted = effects.length - named.length;
  return {
    effects: named.map((effect) => withShortNames(redactEffect(effect, redaction))),
    ...(omitted > 0 && { effectsOmitted: omitted }),
  };
}

function withShortNames(effect: Effect): Effect {
  const short = (_: string, value: unknown) =>
    typeof value === 'string' ? shortened(value, LONGEST_NAME) : value;
  return JSON.parse(JSON.stringify(effect, short));
}
