import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import { type ApprovalBook, Approvals } from '../guard/approvals.ts';
import { FileApprovals } from '../guard/file-approvals.ts';
import { Guard } from '../guard/guard.ts';
import { fakeReader, targetReader } from '../guard/reader.ts';
import { MemoryRecords, type Records } from '../guard/records.ts';
import type { Forward } from '../upstreams/forward.ts';
import type { Backend, Setup } from './modes.ts';

/** Milliseconds that the token of a 409 may be used. */
const TOKEN_LIFETIME = 10 * 60_000;
/** Milliseconds that a database may take if `--timeout` is off. */
const PATIENCE = 30_000;

/** Keeps what a guard knows. */
interface Memory {
  records: Records;
  book: ApprovalBook;
  /** Why it cannot be written. */
  trouble?: () => Error | undefined;
}

export type Guarding = Awaited<ReturnType<typeof guardOf>>;

/**
 * The guard before an upstream: it reads from the target or asks the fake. A replay has nothing to lose.
 *
 * @throws PatchgateError if the state file is broken; `bad-usage` if a real service is to be protected unguarded
 */
export async function guardOf(
  setup: Setup,
  gate: Gate,
  approvers: ReadonlyMap<string, string>,
  { fake, forward }: Backend,
) {
  const { config, rules } = setup;
  const { redaction } = rules;
  const memory: Memory = forward
    ? await memoryOf(setup, forward)
    : { records: new MemoryRecords(undefined, true), book: new FileApprovals() };
  const { records, book, trouble } = memory;
  const readTarget = forward && config.readState ? targetReader(forward, config.timeout) : undefined;
  const reader = fake ? fakeReader(fake) : readTarget;
  const names = approvers.size > 0 ? new Set(approvers.values()) : undefined;
  const approvals = new Approvals({ book, lifetime: TOKEN_LIFETIME, approvers: names, redaction });
  const guard = new Guard({ gate, mode: config.guard, records, reader, approvals, fake, redaction });
  return { guard, approvals, trouble };
}

async function memoryOf({ config, database, rules, notice, opened }: Setup, to: Forward): Promise<Memory> {
  if (config.guard === 'off' && config.protect.length > 0)
    throw new PatchgateError('bad-usage', 'without the guard, nothing that --protect names is safe', {
      hint: 'leave out --no-guard, or --protect',
    });
  const service = to.target.origin;
  const { redaction } = rules;
  if (database) {
    const { PgRecords } = await import('../postgres/records.ts');
    const { PgApprovals } = await import('../postgres/approvals.ts');
    const patience = config.timeout || PATIENCE;
    const records = new PgRecords({ database, service, patience, redaction });
    return { records, book: new PgApprovals(database, service, patience) };
  }
  if (!config.state) return { records: new MemoryRecords(), book: new FileApprovals() };
  const { StateFile, stateFileFor } = await import('../guard/state-file.ts');
  const place = stateFileFor(config.state, service);
  if (place !== config.state)
    notice(`${config.state} is of another service: records of ${service} are kept in ${place}`);
  const state = opened.add(new StateFile(place, service, redaction, notice));
  return {
    records: new MemoryRecords(state),
    book: new FileApprovals(state.data.approvals, () => state.now()),
    trouble: () => state.trouble,
  };
}
