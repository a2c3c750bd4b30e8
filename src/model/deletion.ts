import type { PathGlobs } from './severity-override.ts';

/** What becomes of an environment that a PATCH would delete: it never goes, goes with an approval, or without asking. */
export const DELETIONS = ['protect', 'approve', 'allow'] as const;
export type Deletion = (typeof DELETIONS)[number];

export interface DeletionDecision {
  deletion: Deletion;
  /** Why, as the policy has it. */
  reason?: string;
}

/** Decides by an environment's name. */
export type DecideDeletion = (name: string) => DeletionDecision;

/** One rule of the guard policy. Of several that hold, the later ones count. */
export interface GuardRule extends DeletionDecision {
  /** Names of environments: `*` stands for any characters, `?` for one. Absent: any name. */
  environments?: readonly string[];
  /** Ids of projects, as in a path. Absent: any project. */
  projects?: readonly string[];
  /** Absent: any path. */
  paths?: PathGlobs;
}
