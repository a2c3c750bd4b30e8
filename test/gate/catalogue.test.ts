import { describe, expect, it } from 'vitest';
import { admitCustomRules, CATALOGUE, checkSeverities } from '../../src/gate/catalogue.ts';
import { pointerOf } from '../../src/json/pointer.ts';
import type { SeveritySetting } from '../../src/model/finding.ts';
import type { Rule } from '../../src/model/rule.ts';
import { RULES } from '../../src/rules/index.ts';
import { memberAt } from '../../src/schemas/check.ts';
import { refusal } from '../support/errors.ts';
import { shouting } from '../support/team-rule.ts';

const checked = (severities: Record<string, SeveritySetting>) =>
  checkSeverities(severities, CATALOGUE, (rule) => memberAt(pointerOf(['rules', rule])));

describe('severities', () => {
  it('of rules that do not exist are refused, with what may have been meant', () => {
    const refused = (name: string) => refusal('bad-config', () => checked({ [name]: 'off' }));
    expect(refused('draft.percentage-rnage')).toBe(
      'rules["draft.percentage-rnage"]: there is no such rule (did you mean "draft.percentage-range"?)',
    );
    expect(refused('request.jsn')).toContain('did you mean "request.json"?');
    expect(refused('nonsense')).toMatch(
      /^rules\.nonsense: there is no such rule \(rules: request\.path-parameter, /,
    );
    expect(refused('toString')).toContain('rules.toString: there is no such rule');
    for (const { name } of RULES) expect(() => checked({ [name]: 'off' })).not.toThrow();
    // A contract of one's own can use further keywords.
    expect(() => checked({ 'schema.min-length': 'off' })).not.toThrow();
  });

  it.each(['request.json', 'request.too-large', 'request.content-encoding'])(
    'milder than error are refused for %s, without which nothing is judged',
    (name) => {
      for (const severity of ['warn', 'off'] as const)
        expect(refusal('bad-config', () => checked({ [name]: severity }))).toContain(
          `rules["${name}"] cannot be "${severity}"`,
        );
      expect(() => checked({ [name]: 'error' })).not.toThrow();
    },
  );
});

describe('admit custom rules', () => {
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
});
