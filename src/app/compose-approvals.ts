import type { Approvals } from '../guard/approvals.ts';
import { FileApprovals } from '../guard/file-approvals.ts';
import type { Knowledge } from '../guard/knowledge.ts';
import type { Database } from '../postgres/database.ts';
import type { Composed } from './compose-upstream.ts';

/** Milliseconds that the token of a 409 may be used. */
const lifetime = 10 * 60_000;

interface ApprovalSettings {
  /** Names; undefined: a token works at once. */
  approvers: Iterable<string> | undefined;
}

/** Of a real service, all gates that share a database share the approvals; what a recording or the fake answers is a gate's own. */
export async function composeApprovals(
  { approvers: names }: ApprovalSettings,
  { forward, fake, played }: Composed,
  knowledge: Knowledge,
  database: Database | undefined,
): Promise<Approvals> {
  const approvers = names && new Set(names);
  if (!database || !forward || fake || played)
    return new FileApprovals({ lifetime, approvers, store: knowledge.approvals });
  const { PgApprovals } = await import('../postgres/approvals.ts');
  return new PgApprovals({ database, service: forward.target.origin, lifetime, approvers });
}
