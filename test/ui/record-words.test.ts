import { describe, expect, it } from 'vitest';
import { environmentsOf, type KnownRecord, knownRecord, titleOf } from '../../src/ui/record-words.ts';

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

const project: Omit<KnownRecord, 'id'> = { account: 'current', kind: 'project', record: {} };
const KNOWN: KnownRecord[] = [
  { ...project, id: '1', path: '/', record: { name: 'c' } },
  { ...project, id: '42', record: { name: 'of no path' } },
  { ...project, id: '42', path: '/api/v2', record: { name: 'a' } },
  { ...project, id: '7', path: '/api/v2', kind: 'feature', record: { name: 'b' } },
  { ...project, id: '9', account: '196', kind: 'draft', record: { name: 'd' } },
];

describe('what is known of a record', () => {
  it.each([
    ['/api/v2/accounts/current/projects/42', 'a'],
    ['/api/v2/accounts/current/projects/42/?x=1', 'a'],
    ['/accounts/current/projects/42', 'a'],
    ['/api/v2/accounts/current/features/7', 'b'],
    ['/accounts/current/projects/1', 'c'],
    ['/x/accounts/196/drafts/9', 'd'],
  ])('%s', (url, name) => {
    expect(knownRecord(KNOWN, url)?.record.name).toBe(name);
  });

  it.each(['/api/v2/accounts/current/projects/43', '/api/v2/accounts/1/projects/42', '/x', ''])(
    '%s: nothing',
    (url) => {
      expect(knownRecord(KNOWN, url)).toBeUndefined();
    },
  );
});
