import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import { type ApprovalBook, Approvals } from '../guard/approvals.ts';
import { FileApprovals } from '../guard/file-approvals.ts';
import { Guard } from '../guard/guard.ts';
import { fakeReader, type Reader, targetReader } from '../guard/reader.ts';
import { fakeRecords, MemoryRecords, type Records } from '../guard/records.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import type { Config } from '../settings/config.ts';
import type { Forward } from '../upstreams/forward.ts';
import type { Composed, RuntimeContext } from './compose-upstream.ts';

/** Milliseconds that the token of a 409 may be used. */
const TOKEN_LIFETIME = 10 * 60_000;
/** Milliseconds that a database may take where `--timeout` is off. */
const PATIENCE = 30_000;

export interface ComposedGuard {
  guard: Guard;
  approvals: Approvals;
  /** What is remembered of a real service: how many records, and where; `""`: in memory alone. */
  remembered?: { readonly count: number | undefined; place: string } | undefined;
  /** What keeps it from being kept. */
  readonly trouble?: Error | undefined;
  close(): Promise<void>;
}

/** Where a guard keeps what it knows. */
interface Kept extends Pick<ComposedGuard, 'remembered' | 'trouble' | 'close'> {
  records: Records;
  book: ApprovalBook;
  reader?: Reader | undefined;
}

/**
 * The guard before an upstream: it reads from the target or asks the fake. Nothing can be lost in a recording that is replayed.
 *
 * @throws PatchgateError where the state file is broken; `bad-usage` where a real service is to be protected unguarded
 */
export async function composeGuard(
  config: Config,
  gate: Gate,
  approvers: Iterable<string> | undefined,
  composed: Composed,
  redaction: Redaction,
  context: RuntimeContext,
): Promise<ComposedGuard> {
  const { fake, played, forward } = composed;
  const kept: Kept =
    fake || played || !forward ? ofNothingReal(composed) : await keptOf(config, composed, context);
  const names = approvers && new Set(approvers);
  const approvals = new Approvals({ book: kept.book, lifetime: TOKEN_LIFETIME, approvers: names });
  const { records, reader } = kept;
  const mode = played ? ('off' as const) : config.guard;
  const guard = new Guard({ gate, mode, records, reader, approvals, fake, redaction });
  return Object.assign(kept, { guard, approvals });
}

function ofNothingReal({ fake }: Composed): Kept {
  const reader = fake && fakeReader(fake);
  return { records: fakeRecords(), book: new FileApprovals(), reader, close: async () => undefined };
}

async function keptOf(
  config: Config,
  { forward }: Composed,
  { notice, database }: RuntimeContext,
): Promise<Kept> {
  refuseUnguarded(config);
  const service = forward?.target.origin as string;
  const reader = config.readState === false ? undefined : targetReader(forward as Forward, config.timeout);
  if (database) {
    const [{ PgRecords }, { PgApprovals }] = await Promise.all([
      import('../postgres/records.ts'),
      import('../postgres/approvals.ts'),
    ]);
    const patience = config.timeout || PATIENCE;
    return {
      ...{ reader, records: new PgRecords({ database, service, patience }) },
      book: new PgApprovals(database, service),
      remembered: { count: undefined, place: database.name },
      close: async () => undefined,
    };
  }
  if (!config.state) {
    const records = new MemoryRecords();
    const remembered = countedIn(records, '');
    return { reader, records, book: new FileApprovals(), remembered, close: async () => undefined };
  }
  const { StateFile, stateFileFor } = await import('../guard/state-file.ts');
  const file = stateFileFor(config.state, service);
  if (file !== config.state)
    notice(`${config.state} is of another service: what is known of ${service} is kept in ${file}`);
  const state = new StateFile(file, service, notice);
  const records = new MemoryRecords(state.data.records, state);
  return {
    ...{ reader, records, remembered: countedIn(records, file) },
    book: new FileApprovals(state.data.approvals, () => state.now()),
    get trouble() {
      return state.trouble;
    },
    close: () => state.close(),
  };
}

function countedIn(records: MemoryRecords, place: string): ComposedGuard['remembered'] {
  return {
    place,
    get count() {
      return records.count;
    },
  };
}

/** Without the guard, nobody looks at what a PATCH deletes. @throws PatchgateError `bad-usage` */
function refuseUnguarded({ guard, protect }: Config): void {
  if (guard !== 'off' || protect.length === 0) return;
  throw new PatchgateError('bad-usage', 'without the guard, nothing that --protect names is safe', {
    hint: 'leave out --no-guard, or --protect',
  });
}
