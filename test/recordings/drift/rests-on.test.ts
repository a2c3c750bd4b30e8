import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import { restsOn } from '../../../src/recordings/drift/rests-on.ts';

const BEFORE = {
  id: 42,
  name: 'Checkout',
  languages: ['GO'],
  environments: [{ id: 1, name: 'Production', isEnabled: true }],
  updatedAt: 'then',
};
const { id: _, updatedAt: __, ...WRITTEN } = BEFORE;

/** Whether a body rests on the project as it was, where this much of it is another today. */
function rests(changed: Record<string, JsonValue>, sent: JsonValue): boolean {
  return restsOn(BEFORE, { ...BEFORE, ...changed }, sent);
}

describe('a body rests on what was read', () => {
  it('where it carries a value that is another today, or adds to it', () => {
    expect(rests({ name: 'Shop' }, { ...WRITTEN, languages: ['GO', 'PHP'] })).toBe(true);
    expect(rests({ name: 'Shop' }, { ...WRITTEN, name: 'Checkout (old)' })).toBe(true);
    expect(rests({ name: 'Shop' }, { ...WRITTEN, name: 'Basket' })).toBe(false);
    expect(rests({ updatedAt: 'now' }, WRITTEN)).toBe(false);
    expect(rests({}, WRITTEN)).toBe(false);
  });

  it('where it carries a list of which items are others today', () => {
    expect(rests({ languages: ['PHP'] }, { languages: ['GO', 'RUBY'] })).toBe(true);
    expect(rests({ languages: ['GO', 'PHP'] }, { languages: ['GO', 'RUBY'] })).toBe(true);
    expect(rests({ languages: ['GO', 'PHP'] }, { languages: ['RUBY'] })).toBe(false);
    const added = [...BEFORE.environments, { id: 2, name: 'Staging', isEnabled: false }];
    expect(rests({ environments: added }, WRITTEN)).toBe(true);
    expect(rests({ environments: added }, { name: 'Checkout' })).toBe(false);
  });

  it('where it carries an item of which something is another today', () => {
    const retyped = [{ id: '1', name: 'Production', isEnabled: true }];
    expect(rests({ environments: retyped }, WRITTEN)).toBe(true);
    const toggled = [{ id: 1, name: 'Production', isEnabled: false }];
    const own = [{ id: 1, name: 'Live', isEnabled: false }];
    expect(rests({ environments: toggled }, { ...WRITTEN, environments: own })).toBe(false);
  });

  it('where it has all members, of which there are more, or less, today', () => {
    expect(rests({ archived: false }, { ...BEFORE, name: 'Shop' })).toBe(true);
    expect(rests({ archived: false }, WRITTEN)).toBe(false);
    expect(restsOn(BEFORE, WRITTEN, BEFORE)).toBe(true);
    expect(restsOn(BEFORE, WRITTEN, WRITTEN)).toBe(false);
  });

  it('where the answer is wrapped, or a list that has the record', () => {
    const now = { ...BEFORE, name: 'Shop' };
    expect(restsOn({ data: BEFORE }, { data: now }, WRITTEN)).toBe(true);
    const other = { id: 7, name: 'Checkout' };
    expect(restsOn({ items: [other, BEFORE] }, { items: [other, now] }, WRITTEN, '42')).toBe(true);
    const renamed = { id: 7, name: 'Basket' };
    expect(restsOn({ items: [other, BEFORE] }, { items: [renamed, BEFORE] }, WRITTEN, '42')).toBe(false);
  });
});
