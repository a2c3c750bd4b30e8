import { describe, expect, it } from 'vitest';
import type { Approval } from '../../src/model/approval.ts';
import {
  announcement,
  askedBy,
  currentOf,
  lossText,
  outcomeText,
  pendingOf,
} from '../../src/ui/approval-words.ts';

const APPROVAL: Approval = {
  id: 'k3f9x2ab',
  status: 'pending',
  requestedAt: '2026-11-23T08:00:00.000Z',
  expiresAt: '2026-11-23T08:10:00.000Z',
  method: 'PATCH',
  url: '/api/v2/accounts/current/projects/42',
  effects: [{ kind: 'environment-deleted', id: 3, name: 'Development' }],
};
const NOW = Date.parse(APPROVAL.requestedAt);

describe('pending approvals', () => {
  it('stand in the order in which they expire, without the decided ones', () => {
    const later = { ...APPROVAL, id: 'later', expiresAt: '2026-11-23T09:00:00.000Z' };
    const decided = { ...APPROVAL, id: 'decided', status: 'declined' } as const;
    expect(pendingOf([later, decided, APPROVAL]).map(({ id }) => id)).toEqual(['k3f9x2ab', 'later']);
  });

  it.each<[string, Approval[], number]>([
    ['Nothing waits for an approval', [], NOW],
    ['1 request waits for an approval', [APPROVAL], NOW],
    ['2 requests wait for an approval', [APPROVAL, APPROVAL], NOW + 539_000],
    ['1 request waits for an approval; k3f9x2ab expires in less than a minute', [APPROVAL], NOW + 541_000],
  ])('are announced: %s', (text, pending, now) => {
    expect(announcement(pending, now)).toBe(text);
  });
});

it.each<[Approval['status'], Partial<Approval>, number]>([
  ['pending', {}, 599_999],
  ['expired', {}, 600_000],
  ['expired', { status: 'approved' }, 600_000],
  ['declined', { status: 'declined' }, 600_000],
])('is %s by then: %j after %d ms', (status, given, after) => {
  expect(currentOf([{ ...APPROVAL, ...given }], NOW + after)).toMatchObject([{ status }]);
});

describe('an approval', () => {
  it.each<[string, Partial<Approval>]>([
    ['a client', {}],
    ['127.0.0.1', { client: '127.0.0.1' }],
    ['ci, session tests', { client: 'ci', session: 'tests' }],
    ['a\ufffdb', { client: 'a\u202eb' }],
  ])('is asked for by %j', (text, given) => {
    expect(askedBy({ ...APPROVAL, ...given })).toBe(text);
  });

  it.each<[string, Partial<Approval>]>([
    ['approved by anna, not used yet', { status: 'approved', decidedBy: 'anna' }],
    ['declined', { status: 'declined' }],
    ['declined by anna', { status: 'declined', decidedBy: 'anna' }],
    ['approved by anna, and used', { status: 'used', decidedBy: 'anna', decidedAt: 'then' }],
    ['used with its token', { status: 'used' }],
    ['expired', { status: 'expired' }],
    ['approved, expired unused', { status: 'expired', decidedAt: 'then' }],
  ])('was %j', (text, given) => {
    expect(outcomeText({ ...APPROVAL, ...given })).toBe(text);
  });

  it('names what is lost', () => {
    expect(lossText(APPROVAL)).toBe('This deletes for good: environment 3 "Development".');
    expect(lossText({ effects: [{ kind: 'language-removed', name: 'GO' }] })).toBe(
      'What it deletes is not known.',
    );
  });
});
