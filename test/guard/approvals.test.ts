import { expect, it, vi } from 'vitest';
import { type About, Approvals, type Subject } from '../../src/guard/approvals.ts';

const subject = (changes: Partial<Subject> = {}): Subject => ({
  method: 'PATCH',
  url: '/accounts/current/projects/42',
  headers: ['Content-Type', 'application/json'],
  body: Buffer.from('{}'),
  session: 'one',
  known: { record: { name: 'Checkout' }, isWhole: true },
  ...changes,
});

const ABOUT: About = { method: 'PATCH', url: '/accounts/current/projects/42', effects: [] };
const issue = (approvals: Approvals, now?: number) => approvals.issue(subject(), ABOUT, undefined, now).token;

it('approves of the very request, until it is used', () => {
  const approvals = new Approvals({ lifetime: 1000 });
  const token = issue(approvals, 0);
  expect(approvals.whyNot(token, subject(), 1000)).toBeUndefined();
  approvals.use(token);
  expect(approvals.whyNot(token, subject(), 1000)).toEqual({ refused: 'the approval was used already' });
});

it('gives out tokens that cannot be guessed', () => {
  const approvals = new Approvals({ lifetime: 1000 });
  const tokens = new Set(Array.from({ length: 100 }, () => issue(approvals)));
  expect(tokens.size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{24}$/);
});

it.each<[string, Partial<Subject>, string]>([
  ['another project', { url: '/accounts/current/projects/43' }, 'for another request'],
  ['another account', { url: '/accounts/5/projects/42' }, 'for another request'],
  ['another method', { method: 'POST' }, 'for another request'],
  ['another session', { session: 'two' }, 'for another request'],
  ['another body', { body: Buffer.from('{ }') }, 'for another body'],
  [
    'another coding',
    { headers: ['Content-Type', 'application/json', 'Content-Encoding', 'gzip'] },
    'for another body',
  ],
  ['another state', { known: { record: { name: 'Basket' }, isWhole: true } }, 'has changed'],
  [
    'a state of which less is known',
    { known: { record: { name: 'Checkout' }, isWhole: false } },
    'has changed',
  ],
  ['no state', { known: undefined }, 'has changed'],
])('does not approve of %s', (_, changes, why) => {
  const approvals = new Approvals({ lifetime: 1000 });
  const token = issue(approvals);
  expect(approvals.whyNot(token, subject(changes))?.refused).toContain(why);
});

it('expires, and goes on saying so for a while', () => {
  const approvals = new Approvals({ lifetime: 1000 });
  const token = issue(approvals, 0);
  expect(approvals.whyNot(token, subject(), 1001)).toEqual({ refused: 'the approval has expired' });
  issue(approvals, 6000);
  expect(approvals.whyNot(token, subject(), 6000)?.isUnknown).toBeUndefined();
  issue(approvals, 6001);
  expect(approvals.whyNot(token, subject(), 6001)?.isUnknown).toBe(true);
});

it('keeps ten thousand, and drops the oldest', { tags: 'slow' }, () => {
  const approvals = new Approvals({ lifetime: 1000 });
  const [first = '', second = ''] = Array.from({ length: 10_000 }, () => issue(approvals, 0));
  expect(approvals.whyNot(first, subject(), 0)).toBeUndefined();
  issue(approvals, 0);
  expect(approvals.whyNot(first, subject(), 0)?.isUnknown).toBe(true);
  expect(approvals.whyNot(second, subject(), 0)).toBeUndefined();
});

it('does not know what it has not given out', () => {
  expect(new Approvals({ lifetime: 1000 }).whyNot('x', subject())).toEqual({
    refused: 'the approval is not known: it is mistyped, or from another run',
    isUnknown: true,
  });
});

it("does not hang on the machine's clock", () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const approvals = new Approvals({ lifetime: 1000 });
    const token = issue(approvals);
    vi.setSystemTime(Date.now() + 60_000);
    expect(approvals.whyNot(token, subject())).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});
