import type { Approval } from '../model/approval.ts';
import { sanitize } from '../reporters/wording.ts';
import { lostBy } from './effects.tsx';

/** As they are by now: nothing tells that one expires. */
export function currentOf(approvals: readonly Approval[], now: number): Approval[] {
  const isOver = ({ status, expiresAt }: Approval) =>
    (status === 'approved' || status === 'pending') && Date.parse(expiresAt) <= now;
  return approvals.map((approval) => (isOver(approval) ? { ...approval, status: 'expired' } : approval));
}

/** What expires first is the first one, so that a new one moves no other. */
export function pendingOf(approvals: readonly Approval[]): Approval[] {
  return approvals
    .filter(({ status }) => status === 'pending')
    .sort((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt));
}

/** Said when it changes: how many there are, and once that one of them has a minute left. */
export function announcement(pending: readonly Approval[], now: number): string {
  const [first] = pending;
  if (!first) return 'Nothing waits for an approval';
  const count = pending.length === 1 ? '1 request waits' : `${pending.length} requests wait`;
  const isUrgent = Date.parse(first.expiresAt) - now < 60_000;
  return `${count} for an approval${isUrgent ? `; ${first.id} expires in less than a minute` : ''}`;
}

/** `127.0.0.1, session tests` */
export function askedBy({ client = 'a client', session }: Pick<Approval, 'client' | 'session'>): string {
  return sanitize(session ? `${client}, session ${session}` : client);
}

/** `declined by anna` */
export function outcomeText({ status, decidedBy, decidedAt }: Approval): string {
  const by = decidedBy ? ` by ${sanitize(decidedBy)}` : '';
  switch (status) {
    case 'approved':
      return `approved${by}, not used yet`;
    case 'used':
      return decidedAt ? `approved${by}, and used` : 'used with its token';
    case 'expired':
      return decidedAt ? `approved${by}, expired unused` : 'expired';
    default:
      return `${status}${by}`;
  }
}

export function lossText({ effects }: Pick<Approval, 'effects'>): string {
  const lost = lostBy(effects);
  if (lost.length === 0) return 'What it deletes is not known.';
  return `This deletes for good: ${lost.join(', ')}.`;
}
