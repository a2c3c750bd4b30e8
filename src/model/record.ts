import type { JsonObject } from '../json/json.ts';

export const RECORD_KINDS = ['project', 'feature', 'draft'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

export function isRecordKind(text: string): text is RecordKind {
  return RECORD_KINDS.includes(text as RecordKind);
}

/** Which record a path names: the account (`current` or a workspace's id) and the id are as in the path. */
export interface RecordName {
  /** What stands before that in the path that the service gets: `/api/v2`, or `""`. Absent if that is not known: any. */
  base?: string | undefined;
  account: string;
  kind: RecordKind;
  id: string;
}

/** The list of an account's records of one kind. */
export type ListName = Omit<RecordName, 'id'>;

/** A record as the service holds it, as far as the gate knows. */
export interface Known {
  readonly record: JsonObject;
  /** False: the service may hold more than that. */
  readonly isWhole: boolean;
  /** Milliseconds since 1970: when it was last read or accepted; absent: it was read for this request. */
  readonly seenAt?: number | undefined;
}

/** One record of a service, whatever it calls the account: `project 42`. */
export function recordKey({ kind, id }: Pick<RecordName, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}
