import { expect, it } from 'vitest';
import { ShownRecords } from '../../src/guard/shown-records.ts';
import type { RecordName } from '../../src/model/record.ts';
import { shown as shownWhole } from '../support/shown.ts';

const NAME: RecordName = { account: 'current', kind: 'project', id: '42' };

function project(...ids: number[]) {
  const environments = ids.map((id) => ({ id, name: `e${id}`, isEnabled: false }));
  return { name: 'Checkout', languages: ['GO'], environments };
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

it('reads the record that an answer shows, with no more of it than is kept', () => {
  const shown = new ShownRecords();
  const answer = { _data: { ...project(1, 2), id: 42, modifiedOn: 'today' } };
  expect(shown.in(bytesOf(answer), NAME, 'GET')).toEqual(shownWhole(project(1, 2)));
});

it.each(['', 'nothing', '[]', '{}', '{"message": "none"}'])('reads none in %j', (text) => {
  const shown = new ShownRecords();
  for (let i = 0; i < 2; i++)
    expect(shown.in(Buffer.from(text), NAME, 'GET')).toEqual({ isPart: true, ids: new Set() });
});

it('does not read the same bytes again', () => {
  const shown = new ShownRecords();
  const first = shown.in(bytesOf(project(1)), NAME, 'GET');
  expect(shown.in(bytesOf(project(2)), NAME, 'PATCH')).toEqual(shownWhole(project(2)));
  expect(shown.in(bytesOf(project(1)), NAME, 'GET')).toBe(first);
});

it('reads other bytes and the answers about another record', () => {
  const shown = new ShownRecords();
  const bytes = bytesOf({ ...project(1), id: 42 });
  expect(shown.in(bytes, NAME, 'GET')).toEqual(shownWhole(project(1)));
  expect(shown.in(bytes, { ...NAME, id: '43' }, 'GET')).toEqual({ isPart: true, ids: new Set([1]) });
  expect(shown.in(bytesOf(project(2)), NAME, 'GET')).toEqual(shownWhole(project(2)));
});

it('is not misled by a buffer that is used again', () => {
  const shown = new ShownRecords();
  const bytes = bytesOf(project(1));
  shown.in(bytes, NAME, 'GET');
  bytes.write('2', bytes.indexOf('1'));
  expect(shown.in(bytes, NAME, 'GET')).not.toEqual(shownWhole(project(1)));
});

it('remembers no more than so many, and none that is long', () => {
  const shown = new ShownRecords();
  const at = (id: number) => shown.in(bytesOf(project(id)), { ...NAME, id: String(id) }, 'GET');
  const first = at(0);
  const second = at(1);
  for (let id = 2; id <= 500; id++) at(id);
  expect(at(1)).toBe(second);
  expect(at(0)).not.toBe(first);
  const long = bytesOf({ ...project(1), name: 'x'.repeat(20_000) });
  expect(shown.in(long, NAME, 'GET')).not.toBe(shown.in(long, NAME, 'GET'));
});
