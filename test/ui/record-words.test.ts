import { expect, it } from 'vitest';
import { environmentsOf, titleOf } from '../../src/ui/record-words.ts';

it('names a record', () => {
  expect(titleOf({ kind: 'project', id: '42', record: { name: 'Shop\u202e' } })).toBe(
    'project 42 "Shop\ufffd"',
  );
  expect(titleOf({ kind: 'draft', id: '7', record: {} })).toBe('draft 7');
});

it('says which environments there are, whatever stands there', () => {
  const list = [
    { id: 1, name: 'Production', isEnabled: true },
    { id: 2, name: 'Staging', isEnabled: false, possibleSince: '2026-11-23T08:00:00Z' },
    { id: 3 },
    null,
  ];
  expect(environmentsOf(list)).toEqual([
    'environment 1 "Production", enabled',
    'environment 2 "Staging", only possible since 2026-11-23T08:00:00Z',
    'environment 3',
    'environment undefined',
  ]);
  expect(environmentsOf(undefined)).toEqual([]);
});
