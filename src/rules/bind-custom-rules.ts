import { PatchgateError } from '../errors.ts';
import { FindingBounds } from '../model/finding-bounds.ts';
import { contextOf, type Example, type Rule } from '../model/rule.ts';
import type { BoundRule } from './bind-rules.ts';
import { findingsOf } from './findings-of.ts';
import { frozenContext } from './frozen-context.ts';

/**
 * A team's own rules of one operation as one, so that what they are shown is copied once. Each is tried with its first
 * examples: nobody else has tested it.
 *
 * @param placeOf where the rule of an index stands, for messages: `customRules.updateProject[0] in patchgate.config.mjs`
 * @throws PatchgateError `bad-config` where a rule does not say what its first examples say that it does
 */
export function bindCustomRules(rules: readonly Rule[], placeOf: (index: number) => string): BoundRule {
  for (const [index, rule] of rules.entries()) tryExamples(rule, placeOf(index));
  return {
    guards: rules.some(({ guards }) => guards),
    readsEffects: rules.every(({ readsEffects }) => readsEffects),
    check(context, bounds = new FindingBounds()) {
      const shown = frozenContext(context);
      const hasEffects = context.effects !== undefined && context.effects.length > 0;
      return rules
        .filter(({ readsEffects }) => hasEffects || !readsEffects)
        .flatMap((rule) => findingsOf(rule, rule.severity, shown, bounds, false));
    },
  };
}

function tryExamples(rule: Rule, where: string): void {
  const refuse = (what: string) =>
    new PatchgateError('bad-config', `${where}: the rule ${rule.name} ${what}`, {
      hint: 'correct the rule or its examples: testRule of patchgate/testing tries them all',
    });
  const told = (example: Example, place: string) => {
    const found = findingsOf(rule, 'error', frozenContext(contextOf(example)), new FindingBounds(), false);
    const failure = found.find(({ isFailure }) => isFailure);
    if (failure) throw refuse(`fails on examples.${place}[0]: ${failure.message.replace(/^.*?: /, '')}`);
    return found;
  };
  const { passes, fails } = rule.examples;
  const [canary] = fails;
  const points = canary && told(canary, 'fails').map(({ pointer }) => pointer);
  const missed = canary?.pointers.find((pointer) => !points?.includes(pointer));
  if (missed !== undefined)
    throw refuse(`lets its canary pass: it finds nothing at ${JSON.stringify(missed)} in examples.fails[0]`);
  const [good] = passes;
  const [wrong] = good ? told(good, 'passes') : [];
  if (wrong) throw refuse(`finds something at ${JSON.stringify(wrong.pointer)} in examples.passes[0]`);
}
