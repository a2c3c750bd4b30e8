import type { Approval } from '../model/approval.ts';
import { type Effect, losesEnvironment } from '../model/effect.ts';
import { withShortTexts } from '../model/short-text.ts';
import { redactEffect } from '../recordings/redact/redact.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';

/** Effects that are named in all, unless more are lost, and characters of a name. */
const [MOST_EFFECTS, LONGEST_NAME] = [100, 200];

/** What people decide by, and read later: each loss, which all come first, then others as far as there is room. Redacted. */
export function decisiveEffects(
  effects: readonly Effect[],
  redaction: Redaction,
): Pick<Approval, 'effects' | 'effectsOmitted'> {
  const most = Math.max(MOST_EFFECTS, effects.filter(losesEnvironment).length);
  const named = effects.slice(0, most).map((effect) => redactEffect(effect, redaction));
  return {
    effects: withShortTexts(named, LONGEST_NAME),
    ...(effects.length > most && { effectsOmitted: effects.length - most }),
  };
}
