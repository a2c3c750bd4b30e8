import { expect, it } from 'vitest';
import { admitCustomRules } from '../../src/gate/admit-custom-rules.ts';
import type { Rule } from '../../src/model/rule.ts';
import { memberAt } from '../../src/settings/source.ts';
import { refusal } from '../support/errors.ts';
import { shouting } from '../support/team-rule.ts';

const OPERATIONS = ['updateProject', 'updateDraft'];
const admit = (rules: Record<string, Rule[]>) => admitCustomRules(rules, OPERATIONS, memberAt);
const refused = (rules: Record<string, Rule[]>) => refusal('bad-config', () => admit(rules));

it('takes a rule for several operations', () => {
  const rule = shouting();
  expect(() =>
    admit({ updateProject: [rule, shouting({ name: 'team.b' })], updateDraft: [rule] }),
  ).not.toThrow();
});

it('refuses operations that there are not', () => {
  expect(refused({ updateProjects: [] })).toBe(
    'customRules.updateProjects: the contract has no such operation (did you mean "updateProject"?)',
  );
  expect(refused({ toString: [] })).toContain(
    'customRules.toString: the contract has no such operation (operations: updateProject, updateDraft)',
  );
});

it('refuses names that do not tell a rule from all others', () => {
  expect(refused({ updateDraft: [shouting({ name: 'draft.id-matches-path' })] })).toContain(
    'customRules.updateDraft[0].name: draft.id-matches-path is a built-in rule',
  );
  expect(refused({ updateProject: [shouting()], updateDraft: [shouting()] })).toContain(
    'customRules.updateDraft[0].name: customRules.updateProject[0] is another rule team.shouting',
  );
  const rule = shouting();
  expect(refused({ updateProject: [rule, rule] })).toContain(
    'customRules.updateProject[1]: the rule team.shouting is in this list already',
  );
});
