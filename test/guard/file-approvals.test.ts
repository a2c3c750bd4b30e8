import { expect, it } from 'vitest';
import { Approvals } from '../../src/guard/approvals.ts';
import { FileApprovals } from '../../src/guard/file-approvals.ts';
import type { KeptApproval } from '../../src/model/approval.ts';
import { ABOUT, ANNA, describeApprovals, subject } from './approvals-suite.ts';

describeApprovals(
  'those of one gate',
  async ({ lifetime = 60_000, approvers } = {}) =>
    new Approvals({ book: new FileApprovals(), lifetime, approvers }),
);

const kept = (
  all = new Map<string, KeptApproval>(),
  approvers?: ReadonlySet<string>,
  saved = async () => {},
) => new Approvals({ book: new FileApprovals(all, saved), lifetime: 60_000, approvers });

it('a restart knows them: the same request gets the same token', async () => {
  const all = new Map<string, KeptApproval>();
  const first = await kept(all).issue(subject(), ABOUT);
  const again = kept(new Map(JSON.parse(JSON.stringify([...all]))));
  expect(await again.issue(subject(), ABOUT)).toEqual(first);
  expect(await again.use(first.token, subject())).toEqual({ id: first.id });
  expect(JSON.stringify([...all])).not.toContain(first.token);
});

it('whoever has approved one and is no approver any more has not', async () => {
  const all = new Map<string, KeptApproval>();
  const { id, token } = await kept(all, ANNA).issue(subject(), ABOUT);
  await kept(all, ANNA).decide(id, { decision: 'approve' }, 'anna');
  const ben = kept(all, new Set(['ben']));
  expect(await ben.find(token, subject())).toMatchObject({ pending: id });
  expect(await ben.get(id)).toMatchObject({ status: 'pending' });
  await ben.decide(id, { decision: 'approve' }, 'ben');
  expect(await ben.use(token, subject())).toEqual({ id });
});

it('one that cannot be written down is neither used nor decided, and is issued all the same', async () => {
  let isFull = true;
  const approvals = kept(undefined, undefined, async () => {
    if (isFull) throw new Error('the disk is full');
  });
  const { id, token } = await approvals.issue(subject(), ABOUT);
  await expect(approvals.use(token, subject())).rejects.toThrow('the disk is full');
  await expect(approvals.decide(id, { decision: 'decline' }, undefined)).rejects.toThrow('the disk is full');
  isFull = false;
  expect(await approvals.use(token, subject())).toEqual({ id });
});

it('a thousand are kept, and the oldest goes first', async () => {
  const approvals = kept();
  const first = await approvals.issue(subject(), ABOUT);
  for (let i = 0; i < 999; i++) await approvals.issue(subject({ session: `${i}` }), ABOUT);
  expect(await approvals.find(first.token, subject())).toEqual({ id: first.id });
  await approvals.issue(subject({ session: 'last' }), ABOUT);
  expect(await approvals.find(first.token, subject())).toMatchObject({ isUnknown: true });
});
