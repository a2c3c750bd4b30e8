import { describe, expect, it } from 'vitest';
import { checkCustomRules } from '../../../src/settings/extras/check-custom-rules.ts';
import { refusal } from '../../support/errors.ts';
import { shouting } from '../../support/team-rule.ts';

const source = { where: 'the config', folder: '/repo' };

const refused = (given: unknown): string => refusal('bad-config', () => checkCustomRules(given, source));

describe('custom rules', () => {
  it('are none where nothing is said, and taken as they are', () => {
    expect(checkCustomRules(undefined, source)).toEqual({});
    const rules = {
      updateProject: [shouting(), shouting({ name: 'a1-b.c-2', guards: true })],
      updateDraft: [],
    };
    expect(checkCustomRules(rules, source)).toEqual(rules);
  });

  it('may be objects of a class', () => {
    class Loud {
      name = 'team.loud';
      severity = 'warn';
      basis = 'inferred';
      says = 'x';
      source = 'x';
      examples = shouting().examples;
      check() {
        return [];
      }
    }
    expect(() => checkCustomRules({ updateProject: [new Loud()] }, source)).not.toThrow();
  });

  it('cannot stand in JSON, and need a list for each operation', () => {
    expect(
      refusal('bad-config', () =>
        checkCustomRules({}, { ...source, where: 'c.json', text: '{"customRules":{}}' }),
      ),
    ).toBe(
      'customRules in c.json:1:16 cannot stand in JSON (a rule has a function: customRules stand in a patchgate.config.mjs)',
    );
    expect(refused([shouting()])).toContain(
      'customRules in the config must be an object of operations and rules',
    );
    expect(refused({ updateProject: shouting() })).toContain(
      'customRules.updateProject in the config must be a list of rules',
    );
    expect(refused({ updateProject: [() => []] })).toContain(
      'customRules.updateProject[0] in the config must be an object',
    );
  });

  it.each<[string, unknown, string]>([
    ['name', undefined, ' is missing (it takes a name in two parts'],
    ...[
      'shouting',
      'team.Shouting',
      'team.a.b',
      'team/loud',
      '.a',
      'a.',
      'team.a--b',
      'team.-a',
      5,
      'request.x',
      'schema.loud',
    ].map((name): [string, unknown, string] => ['name', name, ': ']),
    ['severity', 'fatal', ': "fatal" is not taken (it takes one of: error, warn, off)'],
    ['basis', 'guessed', ': "guessed" is not taken (it takes one of: stated, inferred, observed, protocol)'],
    ['says', '', ': "" is not taken'],
    ['source', undefined, ' is missing'],
    ['guards', false, ': false is not taken (it takes true, or is left out)'],
    ['readsEffects', 'yes', ': "yes" is not taken'],
    ['check', 'x', ': "x" is not taken (it takes a generator: *check('],
    ['examples', undefined, ' is missing (it takes { passes: [{ body }], fails: [{ body, pointers }] }'],
    ['exmaples', {}, ' is not known (did you mean "examples"?)'],
  ])('are refused with the place of what is wrong: %s %j', (member, value, message) => {
    const rule = { ...shouting(), [member]: value };
    expect(refused({ updateProject: [shouting(), rule] })).toContain(
      `customRules.updateProject[1].${member} in the config${message}`,
    );
  });

  const PASSES = [{ body: {} }];
  const FAILS = [{ body: {}, pointers: ['/x'] }];
  it.each([
    [{ fails: FAILS }, '.passes in the config is missing (it takes a list of at least one example)'],
    [{ passes: PASSES, fails: [] }, '.fails in the config: [] is not taken'],
    [{ passes: [{}], fails: FAILS }, '.passes[0].body in the config is missing'],
    [{ passes: [{ body: { a: undefined } }], fails: FAILS }, '.passes[0].body in the config: '],
    [{ passes: [{ body: [Number.NaN] }], fails: FAILS }, '.passes[0].body in the config: '],
    [{ passes: [{ body: 1, pointers: [] }], fails: FAILS }, '.passes[0].pointers in the config is not known'],
    [{ passes: PASSES, fails: [{ body: {} }] }, '.fails[0].pointers in the config is missing'],
    [
      { passes: PASSES, fails: [...FAILS, { body: {}, pointers: [] }] },
      '.fails[1].pointers in the config: [] is not taken',
    ],
    [
      { passes: PASSES, fails: [{ body: {}, pointers: ['x'] }] },
      '.fails[0].pointers in the config: ["x"] is not taken',
    ],
    [
      { passes: PASSES, fails: [{ body: {}, pointers: ['/x'], known: [] }] },
      '.fails[0].known in the config: [] is not taken',
    ],
  ])('are refused with the place in their examples: %j', (examples, message) => {
    expect(refused({ updateProject: [{ ...shouting(), examples }] })).toContain(
      `customRules.updateProject[0].examples${message}`,
    );
  });
});
