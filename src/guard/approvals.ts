import { createHash, randomBytes, randomInt } from 'node:crypto';
import { PatchgateError } from '../errors.ts';
import { header, type RawHeaders } from '../http/http.ts';
import { isObject, type JsonValue } from '../json/json.ts';
import type { Approval, ApprovalMarks, ApprovalStatus, Decision } from '../model/approval.ts';
import type { Known } from '../model/record.ts';

/** The request header that allows what was blocked. Never forwarded, kept or shown. */
export const APPROVE_HEADER = 'Patchgate-Approve';

/** The very request, and what it was judged against. */
export interface Subject {
  method: string;
  url: string;
  /** The bytes as sent. */
  body: Uint8Array;
  headers: RawHeaders;
  /** The same after a restart, where what is known is. */
  session: string;
  /** As it is kept: a restart knows no more of it. */
  known: Known | undefined;
  /** The same by now; undefined where it is not known for sure. */
  knownNow?(): Known | undefined;
}

/** What an approval shows of its request. */
export type About = Omit<
  Approval,
  'id' | 'status' | 'requestedAt' | 'expiresAt' | 'decidedAt' | 'decidedBy' | 'reason'
>;

/** Why a token approves nothing. */
export interface Refusal {
  refused: string;
  /** The token was never given out, or too long ago. */
  isUnknown?: true;
  /** Id of the approval: once an approver has approved it, the same token lets the request pass. */
  pending?: string;
  isDeclined?: true;
}

export interface Decided {
  decision: Decision;
  reason?: string | undefined;
}

export interface ApprovalFilter {
  limit?: number | undefined;
  status?: ApprovalStatus | undefined;
}

/**
 * Questions for a yes, each with a random token for one request as it was judged: for its bytes, its record and what was known of that.
 *
 * All that is asynchronous rejects with `store-unavailable` where approvals are kept elsewhere, and that is away.
 */
export interface Approvals {
  /** Whether a token works only after an approver has approved it. */
  readonly needApprover: boolean;
  /** Makes a pending one. */
  issue(subject: Subject, about: About): Promise<{ id: string; token: string }>;
  /** Undefined where the token approves of the request. */
  whyNot(token: string, subject: Subject): Promise<Refusal | undefined>;
  /** It is not valid any more, and no restart takes it for valid. @returns its id, or why it was not used */
  use(token: string, subject: Subject): Promise<{ id: string } | Refusal>;
  /**
   * Says yes or no to a pending one.
   *
   * @param by name of the approver
   * @throws PatchgateError `not-allowed` where approvers are given and `by` is not one of them; `not-found`; `not-pending`, and
   *   then it is over where the record has changed since it was asked
   */
  decide(id: string, decided: Decided, by?: string): Promise<{ approval: Approval; isNew: boolean }>;
  get(id: string): Promise<Approval | undefined>;
  /** Newest first. */
  list(filter?: ApprovalFilter): Promise<Approval[]>;
  /** Told of each that is made or changes; not that one expires, which its `expiresAt` says. The function returned ends that. */
  subscribe(listener: (approval: Approval) => void): () => void;
}

/** How long, in lifetimes, it is remembered what became of one that has expired. */
export const REMEMBERED = 5;
/** Characters of an id: no two look alike. */
const ID_LETTERS = '23456789abcdefghjkmnpqrstuvwxyz';
const ID_LENGTH = 8;

export function newId(): string {
  return Array.from({ length: ID_LENGTH }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('');
}

export function isId(text: string): boolean {
  return text.length === ID_LENGTH && [...text].every((letter) => ID_LETTERS.includes(letter));
}

export function newToken(): string {
  return randomBytes(18).toString('base64url');
}

export const NEVER_GIVEN: Refusal = {
  refused: 'the approval is not known: it is mistyped, or from another run',
  isUnknown: true,
};

/** Why it does not approve of the request; undefined: it does. @param shown with its status as of now */
export function refusalOf(
  shown: Approval,
  marks: ApprovalMarks,
  subject: Subject,
  needApprover: boolean,
): Refusal | undefined {
  const { id, status, reason, decidedBy } = shown;
  const { request, body, state } = marksOf(subject);
  if (marks.request !== request) return { refused: 'the approval is for another request' };
  if (marks.body !== body) return { refused: 'the approval is for another body' };
  if (status === 'declined') {
    const by = decidedBy === undefined ? '' : ` by ${decidedBy}`;
    const why = reason === undefined ? '' : `: ${reason}`;
    return { refused: `the approval ${id} was declined${by}${why}`, isDeclined: true };
  }
  if (status === 'used') return { refused: 'the approval was used already' };
  if (marks.state !== state) return { refused: 'the record has changed since the approval was given' };
  if (status === 'expired') return { refused: 'the approval has expired' };
  if (status === 'pending' && needApprover)
    return { refused: `no approver has approved ${id} yet`, pending: id };
  return undefined;
}

type Outcome = Pick<Approval, 'status' | 'decidedAt' | 'decidedBy' | 'reason'>;

/**
 * What a decision makes of one; undefined: it was decided so already.
 *
 * @param shown with its status as of now
 * @throws PatchgateError `not-pending`
 */
export function outcomeOf(
  shown: Approval,
  { decision, reason }: Decided,
  by: string | undefined,
  isStale: () => boolean,
): Outcome | undefined {
  const { id, status, decidedBy } = shown;
  if (isDecided(shown, decision) && decidedBy === by) return undefined;
  if (status !== 'pending') {
    const who = decidedBy === undefined ? '' : ` by ${decidedBy}`;
    throw new PatchgateError('not-pending', `the approval ${id} is not pending: it was ${status}${who}`, {
      hint: 'send the PATCH again: its 409 has a new one',
      details: { approval: id, approvalStatus: status },
    });
  }
  if (decision === 'approve' && isStale())
    return { status: 'expired', reason: 'the record has changed since it was asked' };
  return {
    status: decision === 'approve' ? 'approved' : 'declined',
    decidedAt: new Date().toISOString(),
    decidedBy: by,
    reason,
  };
}

/** Whether the same was decided, and it still holds or did its work. */
function isDecided({ decidedAt, status }: Approval, decision: Decision): boolean {
  if (decidedAt === undefined) return false;
  return decision === 'decline' ? status === 'declined' : status === 'approved' || status === 'used';
}

/** It has expired by being looked at. */
export function ofNoUse({ id, status, reason }: Approval): PatchgateError {
  return new PatchgateError('not-pending', `the approval ${id} is of no use: ${reason}`, {
    hint: 'the PATCH must be sent again: its 409 has a new one',
    details: { approval: id, approvalStatus: status },
  });
}

/** Who may not decide here is no approver any more: then it is as if nobody had approved it. */
export function withoutOthers(shown: Approval, approvers: ReadonlySet<string> | undefined): Approval {
  if (shown.status !== 'approved' || !approvers || approvers.has(shown.decidedBy ?? '')) return shown;
  return { ...shown, status: 'pending', decidedAt: undefined, decidedBy: undefined, reason: undefined };
}

/** Whether the PATCH cannot pass by it any more, as far as that is known. */
export function isStale({ state }: ApprovalMarks, knownNow: Subject['knownNow']): boolean {
  const known = knownNow?.();
  return known !== undefined && hashOfState(known) !== state;
}

/** May still let a request pass. */
export function isOpen({ status }: Pick<Approval, 'status'>): boolean {
  return status === 'pending' || status === 'approved';
}

export function noApproval(id: string): PatchgateError {
  return new PatchgateError('not-found', `there is no approval ${id.slice(0, 100)}`, {
    hint: 'GET /__patchgate/approvals lists those that there are',
  });
}

export function notAnApprover(): PatchgateError {
  return new PatchgateError('not-allowed', 'only an approver may do that here', {
    hint: 'send Authorization: Bearer with the token of an approver',
  });
}

export function marksOf({
  method,
  url,
  body,
  headers,
  session,
  known,
}: Subject): Omit<ApprovalMarks, 'token'> {
  return {
    request: hashOf(`${method} ${url} ${session}`),
    body: hashOf(body, ...CONTENT.map((name) => header(headers, name) ?? '')),
    state: hashOfState(known),
  };
}

export function hashOfState(known: Known | undefined): string {
  return hashOf(known ? `${known.isWhole} ${canonicalText(known.record)}` : '');
}

/** Headers that say what the bytes are. */
const CONTENT = ['content-type', 'content-encoding'] as const;

/**
 * The same text for what is known before and after a restart: members in the order of their names, items in that of their
 * texts. Since when an environment is only possible makes no difference.
 */
function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).sort().join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const texts = members.map(([name, member]) =>
    name === 'possibleSince' ? '"possible"' : `${JSON.stringify(name)}:${canonicalText(member)}`,
  );
  return `{${texts.sort().join(',')}}`;
}

export function hashOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('base64url');
}
