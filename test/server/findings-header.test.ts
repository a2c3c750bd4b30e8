import { expect, it } from 'vitest';
import type { Finding } from '../../src/model/finding.ts';
import { findingsHeader } from '../../src/server/findings-header.ts';

function finding(pointer: string): Finding {
  return {
    rule: 'schema.unknown-field',
    severity: 'warn',
    basis: 'inferred',
    pointer,
    message: 'unknown',
    hint: 'did you mean x?',
  };
}

it('is compact JSON of rule, severity and pointer', () => {
  expect(findingsHeader([finding('/a'), finding('')])).toBe(
    '[{"rule":"schema.unknown-field","severity":"warn","pointer":"/a"},' +
      '{"rule":"schema.unknown-field","severity":"warn","pointer":""}]',
  );
});

it('is an empty list where there are no findings', () => {
  expect(findingsHeader([])).toBe('[]');
});

it('is ASCII without control characters, and still says the same', () => {
  const pointer = '/é☃😀\u007f\u0000\r\n"\\\ud800';
  const value = findingsHeader([finding(pointer)]);
  expect(value).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(value)[0].pointer).toBe(pointer);
});

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'holds as many whole items as fit into 4 KiB (pointers of %i)',
  (length) => {
    const findings = Array.from({ length: 100 }, () => finding('☃'.repeat(length)));
    const value = findingsHeader(findings);
    const items = JSON.parse(value).length;
    const each = (value.length - 1) / items;
    expect(value.length).toBeLessThanOrEqual(4096);
    expect(value.length + each).toBeGreaterThan(4096);
  },
);

it('is empty where even the first item does not fit', () => {
  expect(findingsHeader([finding('x'.repeat(5000)), finding('/a')])).toBe('[]');
});
