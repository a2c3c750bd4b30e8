/** What becomes of an environment that a PATCH would delete: it never goes, goes with an approval, or without asking. */
type Deletion = 'protect' | 'approve' | 'allow';

/** Decides by an environment's name. */
export type DecideDeletion = (name: string) => Deletion;
