import { expect, test } from 'vitest';
import { type Change, lineOf, readLines } from '../../../src/guard/kept/journal-line.ts';
import { refusal } from '../../support/errors.ts';

const CHANGES: Change[] = [
  {
    name: { account: 'current', kind: 'project', id: '42' },
    known: { record: { name: 'Zoë\n' }, isWhole: true },
  },
  { name: { account: '196', kind: 'draft', id: '-7' }, known: { record: {}, isWhole: false } },
  { name: { account: 'current', kind: 'feature', id: '0' }, known: undefined },
];
const TEXT = CHANGES.map(lineOf).join('');

test('gives back what was written', () => {
  expect(readLines(Buffer.from(TEXT), 'j')).toEqual({ changes: CHANGES, size: Buffer.byteLength(TEXT) });
  expect(readLines(Buffer.alloc(0), 'j')).toEqual({ changes: [], size: 0 });
});

test('wherever it is cut off, has the lines that are whole', () => {
  const bytes = Buffer.from(TEXT);
  for (let end = 0; end < bytes.length; end++) {
    const { changes, size } = readLines(bytes.subarray(0, end), 'j');
    expect(changes).toEqual(CHANGES.slice(0, changes.length));
    expect(size).toBe(Buffer.byteLength(CHANGES.slice(0, changes.length).map(lineOf).join('')));
  }
});

test.each([
  '',
  '{',
  '[]',
  '{"account":"main","kind":"project","id":"42","record":null}',
  '{"account":"current","kind":"goal","id":"42","record":null}',
  '{"account":"current","kind":"project","id":"042","record":null}',
  '{"account":"current","kind":"project","id":42,"record":null}',
  '{"account":"current","kind":"project","id":"42","record":[]}',
  '{"account":"current","kind":"project","id":"42"}',
])('a line that is none is an error with its place: %s', (line) => {
  const [first] = TEXT.split('\n');
  const said = refusal('bad-input', () =>
    readLines(Buffer.from(`${first}\n${line}\n${first}\n`), 'f.journal'),
  );
  expect(said).toMatch(/^f\.journal:2:1: .*\(.*delete it/);
});
