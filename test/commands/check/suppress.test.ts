import { expect, it } from 'vitest';
import { checkSuppressedRules } from '../../../src/commands/check/suppress.ts';
import { refusal } from '../../support/errors.ts';
import { checkSuppressions } from '../../support/extras.ts';
import { gate } from '../../support/gate.ts';

it('refuses a suppression of a rule that there is not', async () => {
  const of = async (rule: string) =>
    checkSuppressions([{ rule, pointer: '', reason: 'why' }], { where: 'the config', folder: '/' });
  const { rules } = gate();
  checkSuppressedRules(await of('schema.type'), rules);
  checkSuppressedRules(await of('schema.max-length'), rules);
  checkSuppressedRules(await of('drift.removed'), rules);
  const [near, far] = [await of('schema.typ'), await of('x')];
  expect(refusal('bad-config', () => checkSuppressedRules(near, rules))).toBe(
    'suppressions[0].rule in the config: there is no rule "schema.typ" (did you mean "schema.type"?)',
  );
  expect(refusal('bad-config', () => checkSuppressedRules(far, rules))).toContain(
    '(rules: request.path-parameter, request',
  );
});
