import { sep } from 'node:path';
import { PatchgateError } from '../errors.ts';
import type { Knowledge } from '../guard/knowledge.ts';
import type { KnownStore } from '../guard/known-store.ts';
import type { JsonObject } from '../json/json.ts';
import { LEARNT } from '../model/record.ts';
import type { Database } from '../postgres/database.ts';
import type { PgKnownOptions } from '../postgres/known.ts';
import { redactJson } from '../recordings/redaction/redact.ts';
import type { Redaction } from '../recordings/redaction/redaction.ts';
import type { Config } from '../settings/config.ts';
import { STATE_BY_DEFAULT } from '../settings/settings.ts';
import { parseTarget } from '../upstreams/target.ts';
import type { Composed, RuntimeContext } from './compose-upstream.ts';

/** Milliseconds that an answer of the target may be behind what it holds. */
const LAG = 60_000;

/**
 * Who is asked what a record holds: the fake and a recording for what they play; of a real service, what was learnt of it,
 * which is kept for the next run.
 *
 * @throws PatchgateError where the file with what is known is broken; `bad-usage` where a real service is to be protected unguarded
 */
export async function composeKnowledge(
  config: Config,
  { fake, played, forward }: Composed,
  redaction: Redaction,
  { notice, database }: RuntimeContext,
): Promise<Knowledge> {
  if (fake) {
    const { fakeKnowledge } = await import('../guard/knowledge.ts');
    return fakeKnowledge(fake);
  }
  const { timeout } = config;
  if (played) {
    const { replayedKnowledge } = await import('../guard/replayed-knowledge.ts');
    return replayedKnowledge(played, { redaction, kinds: LEARNT });
  }
  refuseUnguarded(config);
  const file = database?.name ?? (await stateFileOf(config, notice)) ?? '';
  const judges = config.validation !== 'off' || config.guard !== 'off' || config.audit !== undefined;
  // Nothing is judged and nothing kept: what streams by is not looked at.
  if (!judges && file === '') return { of: () => undefined };
  const options = {
    lag: LAG,
    notice,
    hide: (record: JsonObject) => redactJson(record, redaction) as JsonObject,
  };
  const openInFile = async () => {
    const { openKnownStore } = await import('../guard/file-known-store.ts');
    return openKnownStore({ ...options, file, target: config.target });
  };
  const kept = await (database ? openInDatabase(database, config, options) : openInFile());
  const { state } = kept;
  const reads = config.readState !== false && forward;
  const { readingRecords } = reads ? await import('../guard/reading-records.ts') : {};
  const read = reads && readingRecords?.(state, forward, { kinds: LEARNT, timeout, redaction, notice });
  return {
    of(name) {
      kept.follow?.();
      return state.of(name);
    },
    ledger: { state, file },
    approvals: kept.approvals,
    lease: kept.lease?.bind(kept),
    refresh: kept.refresh?.bind(kept),
    ...(read && { confirm: read, ...(config.readState && { find: read }) }),
    // What a recording answers changes nothing at the service.
    learner: {
      stateOf: () => state,
      kinds: LEARNT,
      counts: (answeredBy) => answeredBy === 'target',
      written: kept.written?.bind(kept),
    },
    get trouble() {
      return kept.trouble;
    },
    close: () => kept.close(),
  };
}

async function openInDatabase(
  database: Database,
  { target, state }: Config,
  options: Omit<PgKnownOptions, 'database' | 'service'>,
): Promise<KnownStore> {
  if (state && !isByDefault(state))
    options.notice(`--state ${state} is not used: what is known is kept in the database of --store`);
  const { PgKnownStore } = await import('../postgres/known.ts');
  return PgKnownStore.open({ ...options, database, service: parseTarget(target as string).origin });
}

/** Without the guard, what is not known of a project passes. @throws PatchgateError `bad-usage` */
function refuseUnguarded({ guard, protect }: Config): void {
  if (guard !== 'off' || protect.length === 0) return;
  throw new PatchgateError('bad-usage', 'without the guard, nothing that --protect names is safe', {
    hint: 'leave out --no-guard, or --protect',
  });
}

async function stateFileOf(
  { state, target }: Config,
  notice: RuntimeContext['notice'],
): Promise<string | undefined> {
  if (state === undefined || target === undefined || !isByDefault(state)) return state;
  const { fileOfTarget } = await import('../guard/state-files.ts');
  const file = fileOfTarget(state, target);
  if (file !== state) notice(`${state} is of another service: what is known of ${target} is kept in ${file}`);
  return file;
}

/** Whether it is the default file, here or beside the config file of a folder above. */
function isByDefault(state: string): boolean {
  return `/${state.replaceAll(sep, '/')}`.endsWith(`/${STATE_BY_DEFAULT}`);
}
