import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { contextOf, type Place, type Rule } from '../../src/model/rule.ts';
import { bindCustomRules, bindRules } from '../../src/rules/bind-rules.ts';
import { refusal } from '../support/errors.ts';
import { shouting } from '../support/team-rule.ts';

/** A rule that tells of every item of a list that is 13, and falls over one that is 666. */
function unlucky(changes: Partial<Rule> = {}): Rule {
  return {
    name: 'list.unlucky',
    severity: 'warn',
    basis: 'inferred',
    says: 'no item is 13',
    source: 'service-api 2',
    *check({ body }): Iterable<Place> {
      for (const [index, item] of (body as number[]).entries()) {
        if (item === 666) throw new Error('cannot go on');
        if (item === 13) yield { pointer: `/${index}`, message: 'is 13', hint: 'take 14' };
      }
    },
    examples: { passes: [{ body: [1] }], fails: [{ body: [1, 13], pointers: ['/1'] }] },
    ...changes,
  };
}

const context = (body: JsonValue) => contextOf({ body });

const bind = (rule: Rule, entry: Parameters<typeof bindRules>[0][number] = rule.name) =>
  bindRules([entry], 'contract.json', [rule]);

describe('a bound rule', () => {
  it('gives findings with all that is known of the rule', () => {
    const [rule] = bind(unlucky());
    expect(rule?.check(context([13, 1]))).toEqual([
      {
        rule: 'list.unlucky',
        severity: 'warn',
        basis: 'inferred',
        source: 'service-api 2',
        pointer: '/0',
        message: 'is 13',
        hint: 'take 14',
      },
    ]);
  });

  it('has the severity that the operation gives it', () => {
    for (const severity of ['error', 'off'] as const) {
      const [rule] = bind(unlucky(), { name: 'list.unlucky', severity });
      expect(rule?.check(context([13]))).toMatchObject([{ severity }]);
    }
  });

  it('that throws is an error itself, beside what it had found', () => {
    const [rule] = bind(unlucky());
    expect(rule?.check(context([13, 666, 13]))).toMatchObject([
      { pointer: '/0', severity: 'warn' },
      {
        rule: 'list.unlucky',
        severity: 'error',
        isFailure: true,
        pointer: '',
        message: 'the rule failed, so the request cannot be judged: cannot go on',
      },
    ]);
  });

  it('that throws is an error even where it is turned off', () => {
    const [rule] = bind(unlucky(), { name: 'list.unlucky', severity: 'off' });
    expect(rule?.check(context([666]))).toMatchObject([{ severity: 'error', isFailure: true }]);
    // Whatever is thrown, and before anything is yielded as well.
    const [other] = bind(
      unlucky({
        check: ({ body }) => {
          if ((body as number[]).length === 0) throw 'a text';
          return [{ pointer: '/1', message: 'x' }];
        },
      }),
    );
    expect(other?.check(context([]))).toMatchObject([
      { isFailure: true, message: expect.stringContaining('a text') },
    ]);
  });

  it('that finds too much still tells what destroys', () => {
    const [rule] = bind(
      unlucky({
        *check({ body }) {
          for (let i = 0; i < (body as number[]).length * 1000; i++) yield { pointer: '/1', message: 'x' };
          yield { pointer: '/1', message: 'gone', isDestructive: true };
        },
      }),
    );
    expect(rule?.check(context([1, 2, 3])).filter(({ isDestructive }) => isDestructive)).toHaveLength(1);
  });
});

describe('binding is refused', () => {
  it('for a rule that there is not', () => {
    expect(refusal('bad-contract', () => bind(unlucky(), 'list.unlukcy'))).toBe(
      'contract.json: there is no rule "list.unlukcy" (did you mean "list.unlucky"?)',
    );
    expect(refusal('bad-contract', () => bind(unlucky(), 'x'))).toBe(
      'contract.json: there is no rule "x" (rules: list.unlucky)',
    );
  });

  const CANARY =
    'the rule list.unlucky lets its canary pass (correct the rule, or the first failing example of its file)';
  const refused = (changes: Partial<Rule>) => refusal('bad-contract', () => bind(unlucky(changes)));

  it('for a rule that lets its canary pass', () => {
    expect(refused({ check: () => [] })).toBe(CANARY);
    expect(refused({ examples: { passes: [], fails: [] } })).toBe(CANARY);
    expect(refused({ examples: { passes: [], fails: [{ body: [13, 13], pointers: ['/1', '/2'] }] } })).toBe(
      CANARY,
    );
  });

  it('for a rule that always throws, wherever its canary points', () => {
    const check = () => {
      throw new Error('broken');
    };
    expect(refused({ check, examples: { passes: [], fails: [{ body: {}, pointers: [''] }] } })).toBe(CANARY);
  });

  it('for such a rule that is turned off as well', () => {
    const rule = unlucky({ check: () => [] });
    expect(refusal('bad-contract', () => bind(rule, { name: rule.name, severity: 'off' }))).toBe(CANARY);
  });
});

const WHERE = (index: number) => `customRules.updateProject[${index}]`;
const bad = { environments: [{ name: 'a' }, { name: 'b' }] };

const say = (rules: Rule[], body: JsonValue, more = {}) =>
  bindCustomRules(rules, WHERE).check(contextOf({ body, ...more }));

/** A rule that does as it should in its examples, and something else with `odd` in the body. */
const oddly = (check: (body: { odd: unknown }) => unknown): Rule => {
  const good = shouting();
  return shouting({
    check: (context) => {
      const isOdd = typeof context.body === 'object' && context.body !== null && 'odd' in context.body;
      return (isOdd ? check(context.body as { odd: unknown }) : good.check(context)) as never;
    },
  });
};

describe('custom rules', () => {
  it('give findings as built-in ones do', () => {
    expect(
      say([shouting(), shouting({ name: 'team.other', severity: 'warn' })], {
        environments: [{ name: 'a' }],
      }),
    ).toEqual([
      {
        rule: 'team.shouting',
        severity: 'error',
        basis: 'inferred',
        source: 'the handbook',
        pointer: '/environments/0/name',
        message: 'a is not loud',
        hint: 'A',
      },
      expect.objectContaining({ rule: 'team.other', severity: 'warn' }),
    ]);
  });

  const fails = (check: (body: { odd: unknown }) => unknown, why: string) => {
    const body = { odd: [2, 1], ...bad };
    const [finding, ...others] = say([oddly(check), shouting({ name: 'team.other' })], body);
    const failure = { rule: 'team.shouting', severity: 'error', isFailure: true, pointer: '' };
    expect(finding).toMatchObject(failure);
    expect(finding?.message).toContain(`the rule failed, so the request cannot be judged: ${why}`);
    expect(others.map(({ rule }) => rule)).toEqual(['team.other', 'team.other']);
  };
  const thrower = (value: unknown) => () => {
    throw value;
  };

  it('that throw, change the body or wait fail, and tell why', () => {
    fails(thrower(new Error('broken')), 'broken');
    fails(thrower(Object.create(null)), 'something was thrown that cannot be shown');
    fails((body) => Object.assign(body, { odd: 2 }), 'Cannot assign to read only property');
    fails((body) => (body.odd as number[]).sort(), 'Cannot assign to read only property');
    fails(async () => thrower('unhandled')(), 'check gives a promise: a rule answers at once');
    fails(async function* () {}, 'check is an asynchronous generator');
  });

  it.each([
    [undefined, 'check gives no list of places: write *check(context)'],
    [{ pointer: '/odd', message: 'x' }, 'check gives no list of places'],
    ['odd', 'check gives no list of places'],
    [[null], 'it gives something that is no place'],
    [[{ message: 'x' }], 'it gives a place without a pointer'],
    [[{ pointer: 'odd', message: 'x' }], 'it gives a pointer that is no JSON Pointer: "odd"'],
    [[{ pointer: '/~2', message: 'x' }], 'it gives a pointer that is no JSON Pointer: "/~2"'],
    [[{ pointer: '/odd' }], 'it gives a place without a message: "/odd"'],
    [[{ pointer: '/odd', message: {} }], 'it gives a place without a message'],
    [[{ pointer: '/odd', message: 'x', hint: 5 }], 'it gives a hint that is no text'],
  ])('that give %j fail, and tell why', (given, why) => fails(() => given, why));

  it('have no say in what else a finding holds', () => {
    const place = {
      pointer: '/odd',
      message: 'x',
      rule: 'schema.type',
      severity: 'off',
      isBlinding: true,
      isDestructive: 1,
    };
    expect(say([oddly(() => [place])], { odd: 1 })).toEqual([
      {
        rule: 'team.shouting',
        severity: 'error',
        basis: 'inferred',
        source: 'the handbook',
        pointer: '/odd',
        message: 'x',
        isDestructive: true,
      },
    ]);
  });

  it('that never end fail', { tags: 'slow' }, () => {
    const rule = oddly(function* () {
      for (;;) yield { pointer: '/odd', message: 'x' };
    });
    const [failure, ...others] = say([rule], { odd: 1 }).reverse();
    expect(failure).toMatchObject({ isFailure: true });
    expect(failure?.message).toContain('it gives more than 1000000 places');
    expect(others).toHaveLength(1000);
  });

  it('that read effects are asked where there are some', () => {
    const rule = shouting({ readsEffects: true });
    const effects = [{ kind: 'language-added', name: 'GO' }];
    expect(say([rule], bad)).toEqual([]);
    expect(say([rule], bad, { effects })).toHaveLength(2);
    expect(bindCustomRules([rule], WHERE).readsEffects).toBe(true);
    expect(bindCustomRules([rule, shouting({ name: 'team.x', guards: true })], WHERE)).toMatchObject({
      readsEffects: false,
      guards: true,
    });
  });
});

describe('custom rules are refused', () => {
  const refused = (changes: Partial<Rule>) =>
    refusal('bad-config', () => bindCustomRules([shouting(), shouting(changes)], WHERE));
  const HINT = ' (correct the rule or its examples: testRule of patchgate/testing tries them all)';

  it('where one lets its canary pass', () => {
    expect(refused({ check: () => [] })).toBe(
      `${WHERE(1)}: the rule team.shouting lets its canary pass: it finds nothing at "/environments/1/name" in examples.fails[0]${HINT}`,
    );
  });

  it('where one throws, or waits', () => {
    expect(
      refused({
        check: () => {
          throw new Error('oh: no');
        },
      }),
    ).toBe(`${WHERE(1)}: the rule team.shouting fails on examples.fails[0]: oh: no${HINT}`);
    expect(refused({ check: (async () => []) as never })).toContain(
      'fails on examples.fails[0]: check gives a promise',
    );
    expect(refused({ check: async function* () {} as never })).toContain(
      'check is an asynchronous generator',
    );
  });

  it('where one finds something in what is right, or fails there', () => {
    const pointer = '/environments/1/name';
    expect(refused({ check: () => [{ pointer, message: 'x' }] })).toContain(
      `finds something at "${pointer}" in examples.passes[0]`,
    );
    const forgets = (({ body }: { body: { environments: unknown[] } }) =>
      body.environments.length > 1 ? [{ pointer, message: 'x' }] : undefined) as never;
    expect(refused({ check: forgets })).toContain(
      'fails on examples.passes[0]: check gives no list of places',
    );
  });
});
