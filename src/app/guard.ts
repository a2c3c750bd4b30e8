import { PatchgateError } from '../errors.ts';
import { type ApprovalBook, Approvals } from '../guard/approvals.ts';
import { FileApprovals } from '../guard/file-approvals.ts';
import { Guard } from '../guard/guard.ts';
import { fakeReader, targetReader } from '../guard/reader.ts';
import { MemoryRecords, type Records } from '../guard/records.ts';
import { StateFile, stateFileFor } from '../guard/state-file.ts';
import type { Backend, Setup } from './modes.ts';

/** Milliseconds that the token of a 409 may be used. */
const TOKEN_LIFETIME = 10 * 60_000;
/** Milliseconds that a database may take if `--timeout` is off. */
const PATIENCE = 30_000;

export type Guarding = Awaited<ReturnType<typeof guardOf>>;

/**
 * The guard before an upstream: it reads from the target or asks the fake. A replay has nothing to lose.
 *
 * @throws PatchgateError if the state file is broken; `bad-usage` if a real service is to be protected unguarded
 */
export async function guardOf(setup: Setup, { fake, forward }: Backend) {
  const { config, gate, approvers, database, notice, opened } = setup;
  const { redaction } = setup.rules;
  if (forward && config.guard === 'off' && config.protect.length > 0)
    throw new PatchgateError('bad-usage', 'without the guard, nothing that --protect names is safe', {
      hint: 'leave out --no-guard, or --protect',
    });
  const service = forward && forward.target.origin + forward.target.path;
  let state: StateFile | undefined;
  if (service && !database && config.state) {
    const file = stateFileFor(config.state, service);
    if (file !== config.state)
      notice(`${config.state} is of another service: records of ${service} are kept in ${file}`);
    state = opened.add(new StateFile(file, service, redaction, notice));
  }
  let records: Records = new MemoryRecords(state, !forward);
  let book: ApprovalBook = new FileApprovals(state?.data.approvals, state && (() => state.now()));
  if (service && database) {
    const { PgRecords } = await import('../postgres/records.ts');
    const { PgApprovals } = await import('../postgres/approvals.ts');
    const patience = config.timeout || PATIENCE;
    records = new PgRecords({ database, service, patience, redaction });
    book = new PgApprovals(database, service, patience);
  }
  const readTarget = forward && config.readState ? targetReader(forward, config.timeout) : undefined;
  const reader = fake ? fakeReader(fake) : readTarget;
  const names = approvers.size > 0 ? new Set(approvers.values()) : undefined;
  const approvals = new Approvals({ book, lifetime: TOKEN_LIFETIME, approvers: names, redaction });
  const guard = new Guard({ gate, mode: config.guard, records, reader, approvals, fake, redaction });
  return { guard, approvals, state };
}
