import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, type JsonValue, listAt, member } from '../../src/json/json.ts';
import type { DecideDeletion } from '../../src/model/effect.ts';
import { losesEnvironment } from '../../src/model/effect.ts';
import { correctedProject, repairedProject } from '../../src/state/corrected.ts';
import { effectsOf } from '../../src/state/effects.ts';

const decideBy =
  (mayGo: (name: string) => boolean = () => false): DecideDeletion =>
  (name) =>
    mayGo(name) ? 'allow' : 'approve';
const corrected = (known: JsonObject, body: JsonValue, mayGo?: (name: string) => boolean) =>
  correctedProject(known, body, effectsOf(known, body, decideBy(mayGo)));

const PRODUCTION = { id: 1, name: 'Production', isEnabled: true };
const STAGING = { id: 2, name: 'Staging', isEnabled: false };
const known = { name: 'Checkout', languages: ['GO', 'PHP'], environments: [PRODUCTION, STAGING] };

describe('the corrected body', () => {
  it('is none where nothing is lost', () => {
    expect(corrected(known, known)).toBeUndefined();
    expect(corrected(known, { ...known, environments: [STAGING] }, () => true)).toBeUndefined();
  });

  it('has what was left out, and all that was meant', () => {
    const qa = { id: 3, name: 'QA', isEnabled: true };
    const body = { name: 'Cart', languages: ['GO'], environments: [qa] };
    expect(corrected(known, body)).toEqual({
      ...body,
      environments: [qa, { ...PRODUCTION, isEnabled: false }, STAGING],
    });
  });

  it('has the old id where there was a new one', () => {
    const body = { ...known, environments: [STAGING, { ...PRODUCTION, id: 10, isEnabled: false }] };
    expect(corrected(known, body)).toEqual({
      ...known,
      environments: [STAGING, { ...PRODUCTION, isEnabled: false }],
    });
  });

  it('has the mandatory fields that are missing', () => {
    expect(corrected(known, {})).toEqual(known);
    expect(corrected(known, 'x')).toEqual(known);
    expect(corrected({ environments: [STAGING] }, { name: 'x' })).toEqual({
      name: 'x',
      environments: [STAGING],
    });
  });

  it('lets go what may go', () => {
    const body = { ...known, environments: [] };
    expect(corrected(known, body, (name) => name === 'Staging')?.environments).toEqual([PRODUCTION]);
  });

  it('brings all back as they were where several are marked as the default', () => {
    const several = { environments: [PRODUCTION, { ...STAGING, isEnabled: true }] };
    expect(corrected(several, { environments: [] })?.environments).toEqual(several.environments);
    expect(corrected(several, { environments: [PRODUCTION] })?.environments).toEqual(several.environments);
  });
});

describe('a body that fails its schema', () => {
  it('gets what it lacks, and keeps what can be read', () => {
    const right = repairedProject(known, {
      owner: 'me',
      name: 5,
      languages: ['GO', 7],
      environments: [
        { id: '2', name: 'Test' },
        { name: 'Production ' },
        7,
        { id: 3, name: 'QA', isEnabled: true },
      ],
    });
    expect(right).toEqual({
      ...known,
      owner: 'me',
      environments: [
        { ...STAGING, name: 'Test' },
        { ...PRODUCTION, name: 'Production ' },
        { id: 3, name: 'QA', isEnabled: true },
      ],
    });
    expect(repairedProject(known, { name: 'x' })).toEqual({ ...known, name: 'x' });
  });
});

const environment = fc.record(
  {
    id: fc.oneof(fc.nat(5), fc.constantFrom(471, 4711)),
    name: fc.constantFrom('A', 'B', 'C', ''),
    isEnabled: fc.boolean(),
  },
  { noNullPrototype: true },
);
const odd = fc.constantFrom<JsonValue[]>(null, 'x', { id: '1' }, {}, { id: 1.5, isEnabled: true });
const list = fc.array(fc.oneof({ weight: 8, arbitrary: environment }, { weight: 1, arbitrary: odd }), {
  maxLength: 6,
});
const body = fc.record(
  {
    name: fc.constantFrom('x', 'y'),
    languages: fc.constant(['GO']),
    environments: list,
    __proto__: fc.constant(1),
  },
  { requiredKeys: [], noNullPrototype: true },
);

it('loses nothing, keeps what was sent, and is right', { tags: 'slow' }, () => {
  fc.assert(
    fc.property(body, body, (first, second) => {
      const before = first as JsonObject;
      const sent = second as JsonObject;
      const effects = effectsOf(before, sent);
      const right = correctedProject(before, sent, effects);
      expect(right === undefined).toBe(!effects.some(losesEnvironment));
      if (!right) return;
      expect(effectsOf(before, right).filter(losesEnvironment)).toEqual([]);
      expect(corrected(before, right)).toBeUndefined();

      const { environments: _, ...rest } = sent;
      expect(right).toMatchObject(rest);
      const replaced = new Map(
        effects.flatMap((one) => (one.kind === 'environment-replaced' ? [[one.index, one.id]] : [])),
      );
      const given = listAt(sent, 'environments').map((item, index) =>
        replaced.has(index) ? { ...(item as JsonObject), id: replaced.get(index) as number } : item,
      );
      expect(listAt(right, 'environments').slice(0, given.length)).toEqual(given);

      const defaults = (project: JsonObject) =>
        listAt(project, 'environments').filter((item) => member(item, 'isEnabled') === true).length;
      // What was known with several is brought back as it was.
      if (defaults(before) <= 1) expect(defaults(right)).toBeLessThanOrEqual(Math.max(1, defaults(sent)));
      else
        for (const item of listAt(right, 'environments').slice(given.length))
          expect(listAt(before, 'environments')).toContainEqual(item);
    }),
    { numRuns: 2000 },
  );
});
