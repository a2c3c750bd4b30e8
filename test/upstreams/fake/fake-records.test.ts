import { expect, it } from 'vitest';
import type { RecordName } from '../../../src/model/record.ts';
import { FakeSessions } from '../../../src/upstreams/fake/fake-records.ts';
import { PROJECT, SAMPLE } from '../../../src/upstreams/fake/sample.ts';

const NAME: RecordName = { account: 'current', kind: 'project', id: '42' };

it('holds the records of the seed in each session, until one changes them there', () => {
  const sessions = new FakeSessions(SAMPLE);
  sessions.start('1');
  sessions.start('2');
  expect(sessions.of('1')?.replace(NAME, { name: 'one' }, 10)).toBe(true);
  expect(sessions.of('1')?.get(NAME)).toEqual({ name: 'one' });
  expect(sessions.of('2')?.get(NAME)).toEqual(PROJECT);
  expect(sessions.of('1')?.get({ ...NAME, account: '196' })).toEqual(PROJECT);
  expect(sessions.of('1')?.get({ ...NAME, id: '43' })).toBeUndefined();
  expect(sessions.of('3')).toBeUndefined();
  sessions.end('1');
  expect(sessions.of('1')).toBeUndefined();
  sessions.start('1');
  expect(sessions.of('1')?.get(NAME)).toEqual(PROJECT);
});

it('takes no more than so much in all sessions together; what ends makes room', () => {
  const sessions = new FakeSessions(SAMPLE, 100);
  for (const name of ['1', '2']) sessions.start(name);
  const replace = (session: string, size: number) => sessions.of(session)?.replace(NAME, { size }, size);
  expect([replace('1', 60), replace('2', 41), replace('2', 40)]).toEqual([true, false, true]);
  expect([replace('1', 61), replace('1', 50), replace('2', 50)]).toEqual([false, true, true]);
  expect(sessions.of('1')?.get(NAME)).toEqual({ size: 50 });
  sessions.end('1');
  expect(replace('2', 100)).toBe(true);
});
