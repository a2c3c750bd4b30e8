import { expect, it } from 'vitest';
import { PatchgateError } from '../../../src/errors.ts';
import { redactionOf } from '../../../src/recordings/redact/redaction.ts';
import { Misses } from '../../../src/upstreams/replay/misses.ts';
import type { UpstreamRequest } from '../../../src/upstreams/upstream.ts';

const NOTHING = { redact: [], redactPatterns: [] };

function missing() {
  const misses = new Misses(redactionOf(NOTHING));
  const miss = (text: string, session = '', url = '/a', reason = 'differs') => {
    const request = { method: 'GET', url, session: { id: 1, name: session } } as UpstreamRequest;
    misses.add(request, new PatchgateError('no-recording', text, { hint: 'record it', details: { reason } }));
  };
  return { misses, miss };
}

it('counts alike ones of a session together, redacted', () => {
  const { misses, miss } = missing();
  miss('no answer to /a');
  miss('no answer to /a');
  miss('no answer to /a', 'one');
  miss('no answer to /b?token=abc', '', '/b?token=abc');
  const one = { method: 'GET', url: '/a', text: 'no answer to /a', hint: 'record it' };
  expect(misses.list()).toEqual({
    count: 4,
    misses: [
      { ...one, session: '', count: 2 },
      { ...one, session: 'one', count: 1 },
      {
        ...one,
        url: '/b?token=[redacted]',
        text: 'no answer to /b?token=[redacted]',
        session: '',
        count: 1,
      },
    ],
  });
  expect(misses.list('one')).toEqual({ count: 1, misses: [{ ...one, session: 'one', count: 1 }] });
  expect(misses.list('two')).toEqual({ count: 0, misses: [] });
});

it('keeps a thousand, and counts all', () => {
  const { misses, miss } = missing();
  for (let i = 0; i < 1001; i++) miss(`no answer to /${i}`, i < 1000 ? '' : 'late');
  expect(misses.list().misses).toHaveLength(1000);
  expect(misses.list().count).toBe(1001);
  expect(misses.list('late')).toEqual({ count: 1, misses: [] });
});

it('forgets those of a session, or all', () => {
  const { misses, miss } = missing();
  miss('no answer to /a');
  miss('no answer to /a', 'one');
  misses.reset('');
  expect(misses.list()).toMatchObject({ count: 1, misses: [{ session: 'one' }] });
  misses.reset();
  expect(misses.list()).toEqual({ count: 0, misses: [] });
  miss('no answer to /a', 'one');
  expect(misses.list('one').count).toBe(1);
});

it('may be for the order of requests, where one got an answer out of a sequence before', () => {
  const { misses, miss } = missing();
  miss('differs from /a');
  misses.noteOrder('one');
  miss('differs from /a', 'one');
  miss('differs from /a');
  expect(misses.list()).not.toHaveProperty('isOrdered');
  misses.noteOrder('');
  miss('nothing is recorded for /a', '', '/a', 'not-recorded');
  expect(misses.list()).not.toHaveProperty('isOrdered');
  miss('differs from /a');
  expect([misses.list().isOrdered, misses.list('').isOrdered]).toEqual([true, true]);
  expect(misses.list('one')).not.toHaveProperty('isOrdered');
  misses.reset('');
  miss('differs from /a');
  expect(misses.list()).not.toHaveProperty('isOrdered');
});
