import type { JsonObject } from '../json/json.ts';

export const RECORD_KINDS = ['project', 'feature', 'draft'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];
/** Kinds that PATCHes and answers show whole, to learn from. */
export const LEARNT: readonly RecordKind[] = ['project'];

export function isRecordKind(text: string): text is RecordKind {
  return (RECORD_KINDS as readonly string[]).includes(text);
}

/** Which record a path names: the account (`current` or a workspace's id) and the id are as in the path. */
export interface RecordName {
  /** What stands before that in the path that the service gets: `/api/v2`, or `""`. Absent where that is not known: any. */
  base?: string | undefined;
  account: string;
  kind: RecordKind;
  id: string;
}

/** The list of an account's records of one kind. */
export type ListName = Omit<RecordName, 'id'>;

/**
 * What is known of a record that the service holds. Where it could be in one of several states (an answer never came), it
 * has what any of these has: an environment may stand in it under two names.
 */
export interface Known {
  readonly record: JsonObject;
  /** False: the service may hold more than that. */
  readonly isWhole: boolean;
}

/**
 * Whether two names of one kind and id may be the same record's. `current` may be any workspace. Of what is recorded, the path
 * before it may be cut off: the gate puts the target's before it.
 */
export function mayBeSame(one: RecordName, other: RecordName, { isExact }: { isExact: boolean }): boolean {
  const isAny = one.account === 'current' || other.account === 'current';
  if (one.account !== other.account && !isAny) return false;
  const [base, otherBase] = [one.base, other.base];
  if (base === otherBase || base === undefined || otherBase === undefined) return true;
  return !isExact && (base.endsWith(otherBase) || otherBase.endsWith(base));
}
