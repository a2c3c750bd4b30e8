import { expect, it, vi } from 'vitest';
import { type ApprovalStore, FileApprovals } from '../../src/guard/file-approvals.ts';
import type { Approval, KeptApproval } from '../../src/model/approval.ts';
import { ABOUT, ANNA, describeApprovals, subject } from '../support/approvals-suite.ts';

describeApprovals(
  'those of one gate',
  async ({ lifetime = 60_000, approvers } = {}) => new FileApprovals({ lifetime, approvers }),
);

const issue = async (approvals: FileApprovals, now?: number) =>
  (await approvals.issue(subject(), ABOUT, now)).token;

it('expires, and goes on saying so for a while', async () => {
  const approvals = new FileApprovals({ lifetime: 1000 });
  const token = await issue(approvals, 0);
  expect(await approvals.whyNot(token, subject(), 1001)).toEqual({ refused: 'the approval has expired' });
  await issue(approvals, 6000);
  expect((await approvals.whyNot(token, subject(), 6000))?.isUnknown).toBeUndefined();
  await issue(approvals, 6001);
  expect((await approvals.whyNot(token, subject(), 6001))?.isUnknown).toBe(true);
});

it('keeps ten thousand, and drops the oldest', { tags: 'slow' }, async () => {
  const approvals = new FileApprovals({ lifetime: 1000 });
  const [first = '', second = ''] = await Promise.all(
    Array.from({ length: 10_000 }, () => issue(approvals, 0)),
  );
  expect(await approvals.whyNot(first, subject(), 0)).toBeUndefined();
  await issue(approvals, 0);
  expect((await approvals.whyNot(first, subject(), 0))?.isUnknown).toBe(true);
  expect(await approvals.whyNot(second, subject(), 0)).toBeUndefined();
});

it("does not hang on the machine's clock", async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const approvals = new FileApprovals({ lifetime: 1000 });
    const token = await issue(approvals);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await approvals.whyNot(token, subject())).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

it('knows a state again whose members and items come in another order, or that is possible since another time', async () => {
  const environments = [
    { id: 1, name: 'Production', possibleSince: '2026-11-23T05:00:00.000Z' },
    { id: 2, name: 'Staging' },
  ];
  const approvals = new FileApprovals({ lifetime: 1000 });
  const known = (record: object) => subject({ known: { record: { ...record }, isWhole: true } });
  const { token } = await approvals.issue(known({ name: 'Checkout', environments }), ABOUT);
  const [first, second] = environments;
  const other = {
    environments: [
      { name: 'Staging', id: 2 },
      { ...first, possibleSince: '2026-11-24T05:00:00.000Z' },
    ],
  };
  expect(await approvals.whyNot(token, known({ ...other, name: 'Checkout' }))).toBeUndefined();
  const sure = { environments: [second, { id: 1, name: 'Production' }], name: 'Checkout' };
  expect((await approvals.whyNot(token, known(sure)))?.refused).toContain('has changed');
});

/** A store that a process would leave. */
class Store implements ApprovalStore {
  readonly byId = new Map<string, KeptApproval>();
  isFull = false;
  get kept() {
    return [...this.byId.values()].map((approval) => structuredClone(approval));
  }
  keep(approval: KeptApproval) {
    if (!this.isFull) this.byId.set(approval.id, structuredClone(approval));
    return !this.isFull || !this.byId.has(approval.id);
  }
  forget(id: string) {
    this.byId.delete(id);
  }
}

it('keeps no token, and each change before it says so', async () => {
  const store = new Store();
  const approvals = new FileApprovals({ lifetime: 1000, approvers: ANNA, store });
  const told: Approval[] = [];
  approvals.subscribe((approval) => {
    expect(store.byId.get(approval.id)?.status).toBe(approval.status);
    told.push(approval);
  });
  const { id, token } = await approvals.issue(subject(), { ...ABOUT, exchange: 7 });
  await approvals.decide(id, { decision: 'approve' }, 'anna');
  expect(await approvals.use(token, subject())).toEqual({ id });
  expect(told.map(({ status }) => status)).toEqual(['pending', 'approved', 'used']);
  const kept = JSON.stringify(store.kept);
  expect(kept).not.toContain(token);
  expect(kept).not.toContain('exchange');
});

it('is not used where that cannot be written, so that no restart takes it again; one that is not on disk is', async () => {
  const store = new Store();
  const approvals = new FileApprovals({ lifetime: 1000, store });
  const written = (await approvals.issue(subject(), ABOUT)).token;
  store.isFull = true;
  const unwritten = (await approvals.issue(subject(), ABOUT)).token;
  expect(await approvals.use(written, subject())).toEqual({
    refused: expect.stringContaining('could not be written down'),
  });
  expect((await approvals.whyNot(written, subject()))?.refused).toContain('used already');
  expect(await approvals.use(unwritten, subject())).toHaveProperty('id');
});

it.each<[string, Partial<KeptApproval>, string, string | undefined]>([
  ['one that an approver has approved', { status: 'approved', decidedBy: 'anna' }, 'approved', undefined],
  ['one that another has approved', { status: 'approved', decidedBy: 'eve' }, 'pending', 'no approver'],
  ['one that was approved without a name', { status: 'approved' }, 'pending', 'no approver'],
  ['one whose time is over', { expiresAt: '2020-01-01T00:00:00.000Z' }, 'expired', 'has expired'],
  ['one whose time is none', { expiresAt: '2026-99-99T00:00:00.000Z' }, 'expired', 'has expired'],
  ['one that was used', { status: 'used' }, 'used', 'was used already'],
  ['one that was declined', { status: 'declined' }, 'declined', 'was declined'],
])('takes %s from a restart as %s', async (_, changes, status, refused) => {
  const store = new Store();
  const { id, token } = await new FileApprovals({ lifetime: 60_000, store }).issue(subject(), ABOUT);
  store.byId.set(id, { ...(store.byId.get(id) as KeptApproval), ...changes });
  const approvals = new FileApprovals({ lifetime: 60_000, approvers: ANNA, store });
  expect((await approvals.get(id))?.status).toBe(status);
  const why = (await approvals.whyNot(token, subject()))?.refused;
  if (refused === undefined) expect(why).toBeUndefined();
  else expect(why).toContain(refused);
});

it('gives one from a restart no more time than a new one has', async () => {
  const store = new Store();
  const { id } = await new FileApprovals({ lifetime: 600_000, store }).issue(subject(), ABOUT);
  const approvals = new FileApprovals({ lifetime: 1000, store });
  expect((await approvals.get(id, performance.now() + 900))?.status).toBe('pending');
  expect((await approvals.get(id, performance.now() + 1100))?.status).toBe('expired');
});

it('keeps nothing of one that it forgets', async () => {
  const store = new Store();
  const approvals = new FileApprovals({ lifetime: 1000, store });
  const { id } = await approvals.issue(subject(), ABOUT, 0);
  await issue(approvals, 6000);
  expect(store.byId.has(id)).toBe(true);
  await issue(approvals, 6001);
  expect(store.byId.has(id)).toBe(false);
  expect(store.byId.size).toBe(2);
});
