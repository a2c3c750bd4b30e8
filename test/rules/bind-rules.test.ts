import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { FindingBounds } from '../../src/model/finding-bounds.ts';
import { contextOf, type Place, type Rule } from '../../src/model/rule.ts';
import { bindRules } from '../../src/rules/bind-rules.ts';
import { refusal } from '../support/errors.ts';

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

  it('that finds too much is counted', () => {
    const [rule] = bind(unlucky());
    const bounds = new FindingBounds();
    const found = rule?.check(context(Array(150_000).fill(13)), bounds) ?? [];
    expect(found.length).toBeLessThan(2000);
    expect(found.length + bounds.omitted).toBe(150_000);
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
