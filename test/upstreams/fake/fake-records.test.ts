import { expect, it } from 'vitest';
import type { RecordName } from '../../../src/model/record.ts';
import { FakeRecords } from '../../../src/upstreams/fake/fake-records.ts';
import { PROJECT, SAMPLE } from '../../../src/upstreams/fake/sample.ts';

const NAME: RecordName = { account: 'current', kind: 'project', id: '42' };

it('holds the records of the seed in each session, until one changes them there', () => {
  const records = new FakeRecords(SAMPLE);
  records.start('1');
  records.start('2');
  expect(records.replace('1', NAME, { name: 'one' }, 10)).toBe(true);
  expect(records.get('1', NAME)).toEqual({ name: 'one' });
  expect(records.get('2', NAME)).toEqual(PROJECT);
  expect(records.get('1', { ...NAME, account: '196' })).toEqual(PROJECT);
  expect(records.get('1', { ...NAME, id: '43' })).toBeUndefined();
  expect(records.has('3')).toBe(false);
  records.end('1');
  expect([records.has('1'), records.get('1', NAME)]).toEqual([false, undefined]);
  records.start('1');
  expect(records.get('1', NAME)).toEqual(PROJECT);
});

it('takes no more than so much in all sessions together; what ends makes room', () => {
  const records = new FakeRecords(SAMPLE, 100);
  for (const name of ['1', '2']) records.start(name);
  const replace = (session: string, size: number) => records.replace(session, NAME, { size }, size);
  expect([replace('1', 60), replace('2', 41), replace('2', 40)]).toEqual([true, false, true]);
  expect([replace('1', 61), replace('1', 50), replace('2', 50)]).toEqual([false, true, true]);
  expect(records.get('1', NAME)).toEqual({ size: 50 });
  records.end('1');
  expect(replace('2', 100)).toBe(true);
});
