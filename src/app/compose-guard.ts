import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import { type ApprovalBook, Approvals } from '../guard/approvals.ts';
import { FileApprovals } from '../guard/file-approvals.ts';
import { Guard } from '../guard/guard.ts';
import { fakeReader, type Reader, targetReader } from '../guard/reader.ts';
import { MemoryRecords, type Records } from '../guard/records.ts';
import type { Backend, Setup } from './modes.ts';

/** Milliseconds that the token of a 409 may be used. */
const TOKEN_LIFETIME = 10 * 60_000;
/** Milliseconds that a database may take where `--timeout` is off. */
const PATIENCE = 30_000;

/** Where a guard keeps what it knows. */
interface Kept {
  records: Records;
  book: ApprovalBook;
  reader?: Reader | undefined;
  /** What is remembered of a real service: how many records, and where; `""`: in memory alone. */
  remembered?: { count(): number | undefined; place: string };
  /** What keeps it from being kept. */
  trouble?: () => Error | undefined;
}

export interface ComposedGuard extends Pick<Kept, 'remembered' | 'trouble'> {
  guard: Guard;
  approvals: Approvals;
}

/**
 * The guard before an upstream: it reads from the target or asks the fake. Nothing can be lost in a recording that is replayed.
 *
 * @throws PatchgateError where the state file is broken; `bad-usage` where a real service is to be protected unguarded
 */
export async function composeGuard(
  setup: Setup,
  gate: Gate,
  approvers: ReadonlyMap<string, string>,
  { fake, replay, isReal, forward }: Backend,
): Promise<ComposedGuard> {
  const kept = isReal && forward ? await keptOf(setup, forward) : ofNothingReal(fake);
  const { records, book, reader, remembered, trouble } = kept;
  const names = approvers.size > 0 ? new Set(approvers.values()) : undefined;
  const { redaction } = setup.rules;
  const approvals = new Approvals({ book, lifetime: TOKEN_LIFETIME, approvers: names, redaction });
  const mode = replay && !isReal ? 'off' : setup.config.guard;
  const guard = new Guard({ gate, mode, records, reader, approvals, fake, redaction });
  return { guard, approvals, ...(remembered && { remembered }), ...(trouble && { trouble }) };
}

function ofNothingReal(fake: Backend['fake']): Kept {
  return {
    records: new MemoryRecords(undefined, true),
    book: new FileApprovals(),
    reader: fake && fakeReader(fake),
  };
}

async function keptOf(setup: Setup, forward: NonNullable<Backend['forward']>): Promise<Kept> {
  const { config, database, notice, opened } = setup;
  if (config.guard === 'off' && config.protect.length > 0)
    throw new PatchgateError('bad-usage', 'without the guard, nothing that --protect names is safe', {
      hint: 'leave out --no-guard, or --protect',
    });
  const service = forward.target.origin;
  const reader = config.readState ? targetReader(forward, config.timeout) : undefined;
  if (database) {
    const [{ PgRecords }, { PgApprovals }] = await Promise.all([
      import('../postgres/records.ts'),
      import('../postgres/approvals.ts'),
    ]);
    const patience = config.timeout || PATIENCE;
    const records = new PgRecords({ database, service, patience, redaction: setup.rules.redaction });
    const remembered = { count: () => undefined, place: database.name };
    return { reader, records, book: new PgApprovals(database, service, patience), remembered };
  }
  if (!config.state) {
    const records = new MemoryRecords();
    const remembered = { count: () => records.count, place: '' };
    return { reader, records, book: new FileApprovals(), remembered };
  }
  const { StateFile, stateFileFor } = await import('../guard/state-file.ts');
  const place = stateFileFor(config.state, service);
  if (place !== config.state)
    notice(`${config.state} is of another service: what is known of ${service} is kept in ${place}`);
  const state = opened.add(new StateFile(place, service, setup.rules.redaction, notice));
  const records = new MemoryRecords(state);
  const book = new FileApprovals(state.data.approvals, () => state.now());
  return {
    reader,
    records,
    book,
    remembered: { count: () => records.count, place },
    trouble: () => state.trouble,
  };
}
