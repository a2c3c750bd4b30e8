import type { JsonObject } from '../json/json.ts';

export type RecordKind = 'project' | 'feature' | 'draft';

export function isRecordKind(text: string): text is RecordKind {
  return /^(?:project|feature|draft)$/.test(text);
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
