import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import type { Place, Rule } from '../../src/model/rule.ts';
import { RULES } from '../../src/rules/index.ts';
import { type Fixtures, testRule } from '../../src/testing/index.ts';
import { shouting } from '../support/team-rule.ts';

/** What is wrong with a rule, line by line. */
function problems(rule: unknown, more?: Fixtures): string[] {
  try {
    testRule(rule as Rule, more);
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    const [title, ...lines] = (error as Error).message.split('\n  ');
    expect(title).toMatch(/^the rule( [\w.-]+)? is not as it must be:$/);
    return lines;
  }
  return [];
}

/** A rule that is asked of `{ list: [...] }`, and says something of each item that is 13. */
const unlucky = (changes: Partial<Rule> = {}): Rule => ({
  ...shouting(),
  name: 'team.unlucky',
  *check({ body }): Iterable<Place> {
    const { list } = (body ?? {}) as { list?: unknown };
    for (const [index, item] of Array.isArray(list) ? list.entries() : [])
      if (item === 13) yield { pointer: `/list/${index}`, message: 'is 13' };
  },
  examples: {
    passes: [{ body: { list: [1] } }],
    fails: [{ body: { list: [1, 13] }, pointers: ['/list/1'] }],
  },
  ...changes,
});

/** The same, which does something else in its place. */
const saying = (check: (list: JsonValue[], body: JsonValue) => unknown, changes: Partial<Rule> = {}) =>
  unlucky({
    check: (({ body }: { body: JsonValue }) => {
      const list = (body as { list?: unknown } | null)?.list;
      return Array.isArray(list) ? check(list, body) : [];
    }) as never,
    ...changes,
  });

describe('a rule that is as it must be', () => {
  it('passes, with further fixtures too', () => {
    expect(problems(unlucky())).toEqual([]);
    const fails = [{ body: { list: [13, 13] }, pointers: ['/list/1', '/list/0'] }];
    expect(problems(unlucky(), { passes: [{ body: [] }], fails })).toEqual([]);
  });

  it.each(RULES)('$name is one', (rule) => {
    expect(problems(rule)).toEqual([]);
  });
});

describe('what is told of a rule', () => {
  it('is all that it does not find, or finds in vain, with messages', () => {
    const fails = [{ body: { list: [13, 2] }, pointers: ['/list/0', '/list/1'] }];
    expect(problems(unlucky(), { passes: [{ body: { list: [13] } }], fails })).toEqual([
      'passes[0]: expected nothing; found /list/0 (is 13)',
      'fails[0]: expected /list/0, /list/1; found /list/0 (is 13)',
    ]);
    expect(problems(saying(() => []))).toEqual(['examples.fails[0]: expected /list/1; found nothing']);
  });

  it('is the form that a config would refuse', () => {
    expect(problems({ ...unlucky(), severity: 'fatal' })).toEqual([
      'invalid value "fatal" for severity (it takes one of: error, warn, off)',
    ]);
  });

  it('is that it throws, waits or gives what is no place', () => {
    const failing = (check: () => unknown) => problems(saying(check))[0];
    expect(
      failing(() => {
        throw new TypeError('oh no');
      }),
    ).toBe('examples.passes[0]: it fails: oh no');
    expect(failing(async () => [])).toContain('check gives a promise');
    expect(failing(() => undefined)).toContain('check gives no list of places');
    expect(failing(() => [{ pointer: 'x', message: 'y' }])).toContain('no JSON Pointer: "x"');
  });

  it('is that it changes what it is given', () => {
    expect(problems(saying((list) => list.sort() && []))[0]).toContain(
      'it fails: Cannot assign to read only property',
    );
  });

  it('is a pointer that leads nowhere', () => {
    const at = (...pointers: string[]) => {
      const fails = [{ body: { list: [13], o: { a: 1 } }, pointers }];
      const places = pointers.map((pointer) => ({ pointer, message: 'x' }));
      return problems(
        saying((list) => (list[0] === 13 ? places : []), { examples: { ...unlucky().examples, fails } }),
      );
    };
    expect(
      at('', '/list', '/list/0', '/o', '/o/a', '/o/b', '/c').filter((text) => !text.includes(' with ')),
    ).toEqual([]);
    for (const pointer of ['/list/1', '/list/-', '/list/00', '/list/length', '/o/b/c', '/o/a/b', '/c/d'])
      expect(at(pointer)[0]).toContain(`examples.fails[0]: the pointer ${pointer} leads nowhere`);
  });

  it('is a text that quotes what is no text', () => {
    const saysOf = (message: string, hint?: string) =>
      problems(saying((list) => (list.includes(13) ? [{ pointer: '/list/1', message, hint }] : [])))[0];
    for (const text of [`${undefined} is 13`, `${{}}`, `${Number.NaN} of it`]) {
      expect(saysOf(text)).toContain('its text at /list/1 quotes what is no text');
      expect(saysOf('x', text)).toContain('its text at /list/1 quotes what is no text');
    }
  });

  it('is a place that destroys, where the rule does not say so', () => {
    const check = (list: JsonValue[]) =>
      list.flatMap((item, i) =>
        item === 13 ? [{ pointer: `/list/${i}`, message: 'x', isDestructive: true }] : [],
      );
    expect(problems(saying(check))[0]).toContain('is destructive, yet the rule does not say guards: true');
    expect(problems(saying(check, { guards: true }))).toEqual([]);
  });

  it('is that it says the same in other words the next time', () => {
    let times = 0;
    const counting = saying((list) =>
      list.includes(13) ? [{ pointer: '/list/1', message: `told ${++times} times` }] : [],
    );
    expect(problems(counting).join()).toContain('it finds something else when it is asked again');
  });
});

describe('a body that breaks its schema', () => {
  const EXAMPLES = {
    passes: [{ body: { list: [{ name: 'a', tags: { x: 1 } }] } }],
    fails: [{ body: { list: [{ name: 'b', tags: { x: 1 } }] }, pointers: ['/list/0/name'] }],
  };
  const isWhole = (item: unknown) => typeof item === 'object' && item !== null && 'name' in item;
  const careless = (read: (item: { name: string; tags: { x: number } }) => unknown) =>
    unlucky({
      examples: EXAMPLES,
      *check({ body }) {
        const whole = body as { list: { name: string; tags: { x: number } }[] };
        for (const [index, item] of Array.isArray(whole?.list) ? whole.list.entries() : []) {
          read(item);
          if (item?.name === 'b') yield { pointer: `/list/${index}/name`, message: 'is b' };
        }
      },
    });

  it.each<[string, Parameters<typeof careless>[0]]>([
    ['[null] at /list', (item) => item.name],
    ['7 at /list/0/name', (item) => item?.name?.toLowerCase()],
    ['without /list/0/tags', (item) => (isWhole(item) && item.tags !== null ? item.tags.x : 0)],
  ])('makes a careless rule throw: %s', (what, read) => {
    const [first, second] = problems(careless(read));
    expect(first).toContain(`examples.passes[0] with ${what}: it fails: `);
    expect(second).toContain('examples.fails[0] with ');
  });
});
