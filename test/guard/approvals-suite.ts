import { describe, expect, it } from 'vitest';
import type { About, Approvals, Subject } from '../../src/guard/approvals.ts';
import type { Approval } from '../../src/model/approval.ts';
import { laterRefusal } from '../support/errors.ts';

const environment = (id: number) => ({ id, name: `E${id}`, isEnabled: id === 1 });
/** A whole project of these environments. */
export const holding = (...ids: number[]) => ({
  record: { name: 'Checkout', languages: ['GO'], environments: ids.map(environment) },
  isWhole: true,
});

export const subject = (changes: Partial<Subject> = {}): Subject => ({
  method: 'PATCH',
  url: '/accounts/current/projects/42',
  headers: ['Content-Type', 'application/json'],
  body: Buffer.from('{}'),
  session: 'one',
  record: 'project 42',
  known: holding(1, 2),
  ...changes,
});

export const ABOUT: About = { method: 'PATCH', url: '/accounts/current/projects/42', effects: [] };
export const ANNA: ReadonlySet<string> = new Set(['anna', 'ben']);

export interface SuiteOptions {
  /** Milliseconds. */
  lifetime?: number;
  approvers?: ReadonlySet<string>;
}

/** The promises of the port, which all approvals keep. @param open makes some that are empty */
export function describeApprovals(name: string, open: (options?: SuiteOptions) => Promise<Approvals>): void {
  const APPROVE = { decision: 'approve' } as const;
  const DECLINE = { decision: 'decline', reason: 'never' } as const;

  describe(`${name} keep the promises of approvals`, () => {
    it('a token approves of the very request, until it is used', async () => {
      const approvals = await open();
      const { id, token } = await approvals.issue(subject(), ABOUT);
      expect(token).toMatch(/^[\w-]{24}$/);
      expect(await approvals.find(token, subject())).toEqual({ id });
      expect(await approvals.use(token, subject())).toEqual({ id });
      const used = { refused: 'the approval was used already' };
      expect(await approvals.find(token, subject())).toEqual(used);
      expect(await approvals.use(token, subject())).toEqual(used);
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
      [
        'another meaning',
        { headers: ['Content-Type', 'application/json', 'X_HTTP_Method_Override', 'DELETE'] },
        'for another body',
      ],
      ['another state', { known: holding(1, 2, 3) }, 'has changed'],
      ['a state of which less is known', { known: { ...holding(1, 2), isWhole: false } }, 'has changed'],
      ['no state', { known: undefined }, 'has changed'],
    ])('a token does not approve of %s', async (_, changes, why) => {
      const approvals = await open();
      const { token } = await approvals.issue(subject(), ABOUT);
      expect(await approvals.find(token, subject(changes))).toMatchObject({
        refused: expect.stringContaining(why),
      });
    });

    it('a token that was never given out is not known', async () => {
      const approvals = await open();
      for (const token of ['x', '', '\0', "' OR true --"])
        expect(await approvals.use(token, subject())).toMatchObject({ isUnknown: true });
      for (const id of ['x', '', 'aaaaaaaa', '\0']) {
        expect(await approvals.get(id)).toBeUndefined();
        expect(await laterRefusal('not-found', approvals.decide(id, APPROVE))).toContain('no approval');
      }
    });

    it('one expires', async () => {
      const approvals = await open({ lifetime: 1 });
      const { id, token } = await approvals.issue(subject(), ABOUT);
      const expired = { refused: 'the approval has expired' };
      await expect.poll(() => approvals.find(token, subject())).toEqual(expired);
      expect(await approvals.use(token, subject())).toEqual(expired);
      expect((await approvals.get(id))?.status).toBe('expired');
      expect(await laterRefusal('not-pending', approvals.decide(id, APPROVE))).toContain('it was expired');
    });

    it('one shows what it is about, and when its exchange is', async () => {
      const approvals = await open({ lifetime: 60_000 });
      const about: About = {
        ...ABOUT,
        operation: 'updateProject',
        record: { account: 'current', kind: 'project', id: '42' },
        client: 'anna\0\ud800',
        effects: [{ kind: 'environment-deleted', id: 2, name: 'Staging \0 \ud800 ✓' }],
        exchange: 7,
      };
      const { id } = await approvals.issue(subject(), about);
      const shown = await approvals.get(id);
      const { requestedAt, expiresAt, ...others } = shown as Approval;
      expect(others).toEqual({ ...about, id, status: 'pending' });
      expect(Date.parse(expiresAt) - Date.parse(requestedAt)).toBe(60_000);
      expect(Math.abs(Date.parse(requestedAt) - Date.now())).toBeLessThan(30_000);
    });

    it('the newest are listed first, those of a status, and no more than asked for', async () => {
      const approvals = await open();
      const ids: string[] = [];
      for (let i = 0; i < 3; i++)
        ids.unshift((await approvals.issue(subject({ session: `${i}` }), ABOUT)).id);
      await approvals.decide(ids[1] as string, DECLINE);
      const idsOf = async (...filter: Parameters<Approvals['list']>) =>
        (await approvals.list(...filter)).map(({ id }) => id);
      expect(await idsOf()).toEqual(ids);
      expect(await idsOf({ status: 'pending', limit: 5 })).toEqual([ids[0], ids[2]]);
      expect(await idsOf({ limit: 1 })).toEqual([ids[0]]);
    });

    it('a token waits for an approver, where there are any', async () => {
      const approvals = await open({ approvers: ANNA });
      expect([approvals.needApprover, (await open()).needApprover]).toEqual([true, false]);
      const { id, token } = await approvals.issue(subject(), ABOUT);
      const pending = { refused: `no approver has approved ${id} yet`, pending: id };
      expect(await approvals.use(token, subject())).toEqual(pending);
      for (const by of [undefined, '', 'eve'])
        expect(await laterRefusal('not-allowed', approvals.decide(id, APPROVE, by))).toContain(
          'only an approver',
        );
      const first = await approvals.decide(id, { ...APPROVE, reason: 'agreed' }, 'anna');
      expect(first).toMatchObject({ status: 'approved', decidedBy: 'anna' });
      expect(await approvals.decide(id, APPROVE, 'anna')).toEqual(first);
      expect(await laterRefusal('not-pending', approvals.decide(id, APPROVE, 'ben'))).toContain(
        'it was approved by anna',
      );
      expect(await approvals.find(token, subject())).toEqual({ id });
      expect(await approvals.use(token, subject())).toEqual({ id });
      expect(await approvals.get(id)).toMatchObject({ status: 'used', decidedBy: 'anna', reason: 'agreed' });
    });

    it('what is declined lets nothing pass', async () => {
      const approvals = await open();
      const { id, token } = await approvals.issue(subject(), ABOUT);
      await approvals.decide(id, DECLINE);
      const declined = { refused: `the approval ${id} was declined: never`, isDeclined: true };
      expect(await approvals.use(token, subject())).toEqual(declined);
      expect(await laterRefusal('not-pending', approvals.decide(id, APPROVE))).toContain('it was declined');
    });

    it('the same request has one approval and one token as long as it is open', async () => {
      const approvals = await open();
      const first = await approvals.issue(subject(), ABOUT);
      expect(await approvals.issue(subject(), ABOUT)).toEqual(first);
      await approvals.decide(first.id, APPROVE);
      expect(await approvals.issue(subject(), ABOUT)).toEqual(first);
      expect(await approvals.list()).toHaveLength(1);
      await approvals.use(first.token, subject());
      const second = await approvals.issue(subject(), ABOUT);
      expect(second.token).not.toBe(first.token);
      expect(await approvals.list()).toHaveLength(2);
    });

    it('a record that changed ends its pending and approved ones, and no others', async () => {
      const approvals = await open();
      const [{ id, token }, approved, other] = [
        await approvals.issue(subject(), ABOUT),
        await approvals.issue(subject({ session: 'two' }), ABOUT),
        await approvals.issue(subject({ record: 'project 43', session: 'three' }), ABOUT),
      ];
      await approvals.decide(approved.id, APPROVE);
      await approvals.seen('project 42', holding(2, 1));
      expect(await approvals.list({ status: 'expired' })).toEqual([]);
      await approvals.seen('project 42', holding(1, 2, 3));
      const why = 'the record has changed since it was asked';
      expect(await approvals.get(id)).toMatchObject({ status: 'expired', reason: why });
      expect(await approvals.get(approved.id)).toMatchObject({ status: 'expired' });
      expect(await approvals.get(other.id)).toMatchObject({ status: 'pending' });
      expect(await laterRefusal('not-pending', approvals.decide(id, APPROVE))).toContain(why);
      expect(await approvals.use(token, subject())).toEqual({ refused: 'the approval has expired' });
    });

    it('each change is told of', async () => {
      const approvals = await open();
      const told: string[] = [];
      const end = approvals.subscribe(({ id, status }) => told.push(`${id} ${status}`));
      const { id, token } = await approvals.issue(subject(), ABOUT);
      await approvals.decide(id, APPROVE);
      await approvals.use(token, subject());
      const other = await approvals.issue(subject(), ABOUT);
      end();
      await approvals.decide(other.id, DECLINE);
      expect(told).toEqual([`${id} pending`, `${id} approved`, `${id} used`, `${other.id} pending`]);
    });

    it('of many that use one token, one does', async () => {
      const approvals = await open();
      const { id, token } = await approvals.issue(subject(), ABOUT);
      const all = await Promise.all(Array.from({ length: 20 }, () => approvals.use(token, subject())));
      expect(all.filter((used) => !('refused' in used))).toEqual([{ id }]);
      expect(new Set(all.map((used) => 'refused' in used && used.refused))).toEqual(
        new Set([false, 'the approval was used already']),
      );
    });

    it('of two that decide at once, one does', async () => {
      const approvals = await open({ approvers: ANNA });
      const { id } = await approvals.issue(subject(), ABOUT);
      const decide = (by: string, decided: typeof APPROVE | typeof DECLINE) =>
        approvals.decide(id, decided, by).then(
          ({ decidedBy }) => decidedBy,
          ({ code }) => code,
        );
      const all = await Promise.all([decide('anna', APPROVE), decide('ben', DECLINE)]);
      expect(all).toContain('not-pending');
      expect(all).toContain((await approvals.get(id))?.decidedBy);
    });
  });
}
