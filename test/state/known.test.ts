import { describe, expect, it } from 'vitest';
import { afterTaken, either, sentRecord, wholeRecord, withUnclear } from '../../src/state/known.ts';

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
