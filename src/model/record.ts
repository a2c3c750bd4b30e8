import type { JsonObject } from './json.ts';

export const RECORD_KINDS = ['project', 'feature', 'draft'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

export function isRecordKind(text: string): text is RecordKind {
  return (RECORD_KINDS as readonly string[]).includes(text);
}

/** Which record a path names: the account (`current` or a workspace's id) and the id are as in the path. */
export interface RecordName {
  account: string;
  kind: RecordKind;
  id: string;
}

/**
 * What is known of a record that the service holds. Where it could be in one of several states (an answer never came), it
 * has what any of these has: an environment may stand in it under two names.
 */
export interface Known {
  readonly record: JsonObject;
  /** False: the service may hold more than that. */
  readonly isWhole: boolean;
}
