import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HashSet } from '../../src/recordings/hash-set.ts';

const hashOf = (text: string) => hash('sha1', text, 'binary');

describe('HashSet', () => {
  it('has what was added, and nothing else, however much it grows', () => {
    const set = new HashSet();
    for (let i = 0; i < 20_000; i++) expect(set.add(hashOf(`in ${i}`))).toBe(true);
    for (let i = 0; i < 20_000; i++) {
      expect(set.has(hashOf(`in ${i}`))).toBe(true);
      expect(set.has(hashOf(`out ${i}`))).toBe(false);
    }
  });

  it('tells the texts apart that narrow a hash, and their order', () => {
    const set = new HashSet();
    const one = hashOf('1');
    for (let i = 0; i < 5000; i++) set.add(one, 'PATCH', `/projects/${i}`);
    expect(set.has(one, 'PATCH', '/projects/17')).toBe(true);
    expect(set.has(one)).toBe(false);
    expect(set.has(one, '/projects/17', 'PATCH')).toBe(false);
    expect(set.has(one, 'PATCH/projects', '/17')).toBe(false);
    expect(set.has(hashOf('2'), 'PATCH', '/projects/17')).toBe(false);
    for (let i = 5000; i < 50_000; i++) expect(set.has(one, 'PATCH', `/projects/${i}`)).toBe(false);
  });

  it('keeps a hash of zeros', () => {
    const set = new HashSet();
    expect(set.has('\0'.repeat(20))).toBe(false);
    set.add('\0'.repeat(20));
    expect(set.has('\0'.repeat(20))).toBe(true);
  });
});
