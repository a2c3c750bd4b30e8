import { dirname, join } from 'node:path';
import type { Database } from '../postgres/database.ts';
import type { Outbox } from '../postgres/outbox.ts';
import type { Config } from '../settings/config.ts';
import { STATE_BY_DEFAULT } from '../settings/settings.ts';
import { type Closable, closing, orClose } from './closing.ts';

/** What `--store` stands for, once it is open: who opened it closes it. */
export interface Shared {
  database?: Database | undefined;
  /** Of what records into it. */
  outbox?: Outbox | undefined;
}

/** Takes one notice for people. */
interface Notified {
  notice: (text: string) => void;
}

/**
 * The database of `--store`; undefined without that setting. It is opened once, for all that keep something there.
 *
 * @throws PatchgateError as `openDatabase`
 */
export async function openDatabaseOf(
  { store }: Pick<Config, 'store'>,
  { notice }: Notified,
): Promise<Database | undefined> {
  if (store === undefined) return undefined;
  const { openDatabase } = await import('../postgres/database.ts');
  return openDatabase({ url: store, notice });
}

/** The same with an outbox, where something is recorded. @throws PatchgateError as `openDatabase`; `cannot-write` */
export async function openShared(
  config: Config,
  { notice }: Notified,
  { records }: { records: boolean },
): Promise<Shared & Closable> {
  const database = await openDatabaseOf(config, { notice });
  if (!database || !records) return { database, close: async () => database?.close() };
  const outbox = await orClose(database, () => openOutbox(config, database, notice));
  return { database, outbox, close: () => closing(outbox, database) };
}

/** What is on its way to the database stands beside the state file. */
async function openOutbox(
  { state, recording, record }: Config,
  database: Database,
  notice: Notified['notice'],
): Promise<Outbox> {
  const { Outbox } = await import('../postgres/outbox.ts');
  return Outbox.open({
    database,
    folder: join(dirname(state || STATE_BY_DEFAULT), 'outbox'),
    recording,
    mode: record === 'new_episodes' ? 'append' : 'all',
    notice,
  });
}

/** Opens the database of `--store` for some work alone. That it is away is told by the error that ends the work, and by no notice. */
export async function withDatabase<T>(
  config: Pick<Config, 'store'>,
  work: (database: Database | undefined) => Promise<T>,
): Promise<T> {
  const database = await openDatabaseOf(config, { notice: () => undefined });
  try {
    return await work(database);
  } finally {
    await database?.close();
  }
}
