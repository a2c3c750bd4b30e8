import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterTaken, either, merged, sentRecord, wholeRecord, withUnclear } from '../../src/state/known.ts';
import { environmentsOf } from '../../src/state/project.ts';

const project = (...ids: number[]) => ({
  name: 'Checkout',
  languages: ['GO'],
  environments: ids.map((id) => ({ id, name: `e${id}`, isEnabled: false })),
});
const whole = (...ids: number[]) => wholeRecord('project', project(...ids));

describe('what is sent', () => {
  it('is whole where each environment has an id', () => {
    expect(sentRecord('project', project(1))).toEqual({ record: project(1), isWhole: true });
    expect(sentRecord('project', { environments: [] }).isWhole).toBe(true);
    for (const environments of [undefined, null, {}, [{}], [{ id: '1' }], [{ id: 1 }, 'x']])
      expect(sentRecord('project', { ...project(), environments } as never).isWhole).toBe(false);
    expect(sentRecord('project', []).isWhole).toBe(false);
  });

  it('is never whole for other kinds of record', () => {
    expect(sentRecord('feature', { variables: [{ id: 1 }] })).toEqual({
      record: { variables: [{ id: 1 }] },
      isWhole: false,
    });
  });
});

it('what was taken leaves a name and languages that were not sent', () => {
  const sent = sentRecord('project', { environments: [{ id: 2, name: 'e2', isEnabled: false }] });
  expect(afterTaken(whole(1), sent)).toEqual(whole(2));
  expect(afterTaken(undefined, sent)).toEqual({ record: sent.record, isWhole: true });
});

it('what is unclear is both, and whole where both are', () => {
  expect(withUnclear(whole(1), whole(2))).toEqual(whole(1, 2));
  expect(withUnclear(whole(1), { ...whole(2), isWhole: false })?.isWhole).toBe(false);
  expect(withUnclear(undefined, whole(2))).toEqual({ ...whole(2), isWhole: false });
  expect(withUnclear(whole(1), undefined)).toEqual({ ...whole(1), isWhole: false });
  expect(withUnclear(undefined, undefined)).toBeUndefined();
});

it('one of two is what either has', () => {
  expect(either(whole(1), { ...whole(2), isWhole: false })).toEqual(whole(1, 2));
  expect(either(undefined, whole(2))).toEqual(whole(2));
});

describe('what two have learnt who knew the same', () => {
  const SINCE = Date.parse('2026-01-01T00:00:00.000Z');
  const ids = (known: ReturnType<typeof merged>) =>
    environmentsOf(known?.record)
      .map(({ id, possibleSince }) => (possibleSince ? `${id}?` : id))
      .sort();

  it('is what the one has learnt where the other has learnt nothing', () => {
    expect(merged(whole(1, 2), whole(1), whole(1, 2), SINCE)).toEqual(whole(1));
    expect(merged(whole(1, 2), whole(1, 2), whole(1), SINCE)).toEqual(whole(1));
    expect(merged(whole(1), undefined, whole(1), SINCE)).toBeUndefined();
    expect(merged(whole(1), whole(1), undefined, SINCE)).toBeUndefined();
    expect(merged(undefined, whole(1), undefined, SINCE)).toEqual(whole(1));
  });

  it('is what either has found, without what either has found gone', () => {
    expect(ids(merged(whole(1, 2, 3), whole(1, 2, 4), whole(1, 3, 5), undefined))).toEqual([1, 4, 5]);
    expect(ids(merged(whole(1, 2, 3), whole(1, 2, 4), whole(1, 3, 5), SINCE))).toEqual([1, '4?', 5]);
    expect(ids(merged(undefined, whole(1, 2), whole(2, 3), SINCE))).toEqual(['1?', 2, 3]);
  });

  it('is the other where one of them has found it deleted', () => {
    expect(merged(whole(1), undefined, whole(1, 2), SINCE)).toEqual(whole(1, 2));
    expect(merged(whole(1), whole(1, 2), undefined, SINCE)).toEqual(whole(1, 2));
  });

  it('is whole only where nobody has come to doubt it', () => {
    const part = { ...whole(1, 2), isWhole: false };
    expect(merged(whole(1), part, whole(1, 3), SINCE)?.isWhole).toBe(false);
    expect(merged(whole(1), whole(1, 3), part, SINCE)?.isWhole).toBe(false);
    expect(merged({ ...whole(1), isWhole: false }, whole(1, 2), whole(1, 3), SINCE)?.isWhole).toBe(true);
  });

  it('loses nothing that either has found', () => {
    const some = fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 4 });
    fc.assert(
      fc.property(
        some,
        some,
        some,
        fc.option(fc.constant(SINCE), { nil: undefined }),
        (was, own, other, since) => {
          const now = ids(merged(whole(...was), whole(...own), whole(...other), since)).map((id) =>
            Number.parseInt(String(id), 10),
          );
          const found = [...own, ...other].filter((id) => !was.includes(id));
          const kept = was.filter((id) => own.includes(id) && other.includes(id));
          expect(now.toSorted()).toEqual([...new Set([...found, ...kept])].sort());
        },
      ),
    );
  });
});
