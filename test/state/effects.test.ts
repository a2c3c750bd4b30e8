import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, type JsonValue, listAt, member } from '../../src/json/json.ts';
import type { DecideDeletion } from '../../src/model/effect.ts';
import { type Effect, losesEnvironment } from '../../src/model/effect.ts';
import { effectsOf } from '../../src/state/effects.ts';
import { oddValues } from '../support/odd-values.ts';

it('odd values have effects, or none, and are left as they are', { tags: 'slow' }, () => {
  const names = ['environments', 'languages', 'name', 'isEnabled'];
  const odd = oddValues([...names, 'id'], 1500);
  for (const [index, body] of odd.entries()) {
    const known = odd[(index * 7 + 1) % odd.length];
    if (typeof known !== 'object' || known === null || Array.isArray(known)) continue;
    const before = structuredClone([known, body]);
    effectsOf(known, body);
    expect([known, body]).toEqual(before);
  }
});

const effects = (known: JsonObject, body: JsonValue, decide: DecideDeletion = () => 'approve') =>
  effectsOf(known, body, decide);
const has = (...environments: [id: number, name: string][]): JsonObject => ({
  environments: environments.map(([id, name]) => ({ id, name, isEnabled: false })),
});

/** In short: `deleted 2 Staging`. */
const brief = (list: readonly Effect[]) =>
  list.map(({ kind, ...rest }) => `${kind.replace('environment-', '')} ${Object.values(rest).join(' ')}`);

describe('environments', () => {
  const known = has([1, 'Production'], [2, 'Staging']);

  it('are created, deleted and renamed by their ids', () => {
    expect(effects(known, has([1, 'Live'], [3, 'QA']))).toEqual([
      { kind: 'environment-deleted', id: 2, name: 'Staging' },
      { kind: 'environment-renamed', id: 1, name: 'Production', to: 'Live' },
      { kind: 'environment-created', id: 3, name: 'QA' },
    ]);
  });

  it('are replaced where the name stands under a new id', () => {
    expect(effects(known, has([2, 'Staging'], [77, 'Production']))).toEqual([
      { kind: 'environment-replaced', id: 1, name: 'Production', newId: 77, index: 1 },
    ]);
    // Not where that id was there before: then it is another one, renamed.
    expect(brief(effects(known, has([2, 'Production'])))).toEqual([
      'deleted 1 Production',
      'renamed 2 Staging Production',
    ]);
    // Exactly that name.
    expect(brief(effects(known, has([2, 'Staging'], [77, 'production'])))).toEqual([
      'deleted 1 Production',
      'created 77 production',
    ]);
  });

  it('all go where no list of them is sent, or none that can be read', () => {
    for (const body of [
      {},
      { environments: null },
      { environments: { id: 1 } },
      'x',
      [],
      { environments: [] },
    ])
      expect(effects(known, body).filter(losesEnvironment)).toHaveLength(2);
    expect(
      effects(known, { environments: [{ id: '1' }, { id: 2.5 }, {}, 2] }).filter(losesEnvironment),
    ).toHaveLength(2);
  });

  it('of one name: the first is replaced', () => {
    const found = effects(has([1, 'A'], [2, 'A']), has([20, 'A'], [10, 'A']));
    expect(brief(found)).toEqual(['replaced 1 A 20 0', 'deleted 2 A', 'created 10 A']);
  });

  it('known by two names are lost by either, and renamed only from both', () => {
    const either = has([1, 'Prod'], [2, 'Staging'], [1, 'Production']);
    expect(brief(effects(either, has([9, 'Prod'], [2, 'Staging'])))).toEqual(['replaced 1 Production 9 0']);
    expect(effects(either, has([1, 'Prod'], [2, 'Staging']))).toEqual([]);
    expect(brief(effects(either, has([1, 'Live'], [2, 'Staging'])))).toEqual(['renamed 1 Production Live']);
  });

  it('go without asking where every name that they may have may', () => {
    const decide: DecideDeletion = (name) => (name.startsWith('e2e') ? 'allow' : 'approve');
    const either = has([1, 'e2e-1'], [2, 'e2e-2'], [2, 'Staging']);
    expect(effects(either, has(), decide)).toEqual([
      { kind: 'environment-deleted', id: 1, name: 'e2e-1', allowed: true },
      { kind: 'environment-deleted', id: 2, name: 'Staging' },
    ]);
  });
});

describe('the rest of a project', () => {
  const known = {
    name: 'Checkout',
    languages: ['GO', 'PHP', 'GO'],
    environments: [
      { id: 1, name: 'A', isEnabled: true },
      { id: 2, name: 'B', isEnabled: false },
    ],
  };
  const sending = (changes: JsonObject) => effects(known, { ...known, ...changes });

  it('that is sent as it was has no effect', () => {
    expect(sending({})).toEqual([]);
    expect(sending({ languages: ['PHP', 'GO'], environments: known.environments.toReversed() })).toEqual([]);
  });

  it('is told', () => {
    expect(sending({ name: 'Cart', languages: ['GO', 'RUBY', 'RUBY'] })).toEqual([
      { kind: 'language-removed', name: 'PHP' },
      { kind: 'language-added', name: 'RUBY' },
      { kind: 'name-changed', name: 'Checkout', to: 'Cart' },
    ]);
    const environments = [
      { id: 1, name: 'A', isEnabled: 'true' },
      { id: 2, name: 'B', isEnabled: true },
    ];
    expect(sending({ environments })).toEqual([{ kind: 'default-changed', from: [1], to: [2] }]);
  });

  it('is not, where it cannot be read', () => {
    expect(sending({ name: null, languages: 'GO' })).toEqual([]);
  });
});

/** Names that are none, and such that lead astray. */
const name = fc.constantFrom('A', 'B', '', '__proto__', 'constructor');
const id = fc.oneof(fc.integer({ min: -1, max: 6 }), fc.constantFrom(470, 471, 4711, -0, 1e21));
const environment = fc.oneof(
  { weight: 9, arbitrary: fc.record({ id, name, isEnabled: fc.boolean() }, { noNullPrototype: true }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<JsonValue[]>(
      null,
      1,
      'x',
      [],
      {},
      { id: '1' },
      { id: 1.5 },
      { id: null, name: 'A' },
    ),
  },
);
const projects = fc.record(
  { environments: fc.array(environment, { maxLength: 8 }) },
  { noNullPrototype: true },
);

/** What the description says, in as few words as it does. */
const ids = (project: JsonValue) =>
  new Set(
    listAt(project, 'environments')
      .map((item) => member(item, 'id'))
      .filter((one) => Number.isInteger(one)),
  );

function without<T>(all: ReadonlySet<T>, some: ReadonlySet<T>): Set<T> {
  return new Set([...all].filter((one) => !some.has(one)));
}

it('each environment that is known and not sent is told as lost, once; no other is', { tags: 'slow' }, () => {
  fc.assert(
    fc.property(projects, projects, (known, body) => {
      const all = effects(known as JsonObject, body as JsonObject);
      const lost = all.filter(losesEnvironment);
      const expected = without(ids(known as JsonObject), ids(body as JsonObject));
      expect(lost).toHaveLength(expected.size);
      expect(new Set(lost.map((one) => one.id))).toEqual(expected);
      expect(all.slice(0, lost.length)).toEqual(lost);

      const created = without(ids(body as JsonObject), ids(known as JsonObject));
      const replacements = lost.flatMap((one) => (one.kind === 'environment-replaced' ? [one] : []));
      expect(new Set(replacements.map(({ newId }) => newId)).size).toBe(replacements.length);
      for (const { id: gone, newId, index } of replacements) {
        expect(created).toContain(newId);
        expect(member(listAt(body, 'environments')[index], 'id')).toBe(newId);
        const names = listAt(known, 'environments')
          .filter((item) => member(item, 'id') === gone)
          .map((item) => member(item, 'name'));
        const isNamed = names.includes(member(listAt(body, 'environments')[index], 'name') ?? null);
        expect(isNamed).toBe(true);
      }
      const told = all.flatMap((one) => (one.kind === 'environment-created' ? [one.id] : []));
      expect(new Set([...told, ...replacements.map(({ newId }) => newId)])).toEqual(created);
      expect(told.length + replacements.length).toBe(created.size);
    }),
    { numRuns: 2000 },
  );
});

it('where each has a name of its own, those are replaced whose name stands under a new id', () => {
  const named = fc.uniqueArray(fc.record({ id: fc.nat(9), name: fc.constantFrom(...'ABCDEF') }), {
    selector: ({ id: own }) => own,
    maxLength: 6,
  });
  const unique = named.filter((list) => new Set(list.map((one) => one.name)).size === list.length);
  fc.assert(
    fc.property(unique, unique, (before, after) => {
      const found = effects({ environments: before }, { environments: after });
      const isKnown = new Set(before.map((one) => one.id));
      const isSent = new Set(after.map((one) => one.id));
      const expected = before
        .filter((one) => !isSent.has(one.id))
        .filter((one) => after.some((other) => other.name === one.name && !isKnown.has(other.id)));
      const replaced = found.filter(({ kind }) => kind === 'environment-replaced');
      expect(replaced.map((one) => 'id' in one && one.id)).toEqual(expected.map((one) => one.id));
    }),
    { numRuns: 1000 },
  );
});
