import { dirname, join } from 'node:path';
import type { Database } from '../postgres/database.ts';
import type { Outbox } from '../postgres/outbox.ts';
import type { Config } from '../settings/config.ts';
import { STATE_BY_DEFAULT } from '../settings/settings.ts';

/** What `--store` stands for, once it is open. */
export interface Shared {
  database?: Database | undefined;
  /** Of what records into it. */
  outbox?: Outbox | undefined;
}

/** The database of `--store`; undefined without that setting. @throws PatchgateError as `openDatabase` */
export async function openDatabaseOf(
  { store }: Pick<Config, 'store'>,
  notice: (text: string) => void,
): Promise<Database | undefined> {
  if (store === undefined) return undefined;
  const { openDatabase } = await import('../postgres/database.ts');
  return openDatabase({ url: store, notice });
}

/** What is on its way to the database stands beside the state file. @throws PatchgateError `cannot-write` */
export async function openOutbox(
  { state, recording, record }: Config,
  database: Database,
  notice: (text: string) => void,
): Promise<Outbox> {
  const { Outbox } = await import('../postgres/outbox.ts');
  const folder = join(dirname(state || STATE_BY_DEFAULT), 'outbox');
  const mode = record === 'new_episodes' ? 'append' : 'all';
  return Outbox.open({ database, folder, recording, mode, notice });
}

/** Opens the database of `--store` for some work alone. That it is away is told by the error that ends the work, and by no notice. */
export async function withDatabase<T>(
  config: Pick<Config, 'store'>,
  work: (database: Database | undefined) => Promise<T>,
): Promise<T> {
  const database = await openDatabaseOf(config, () => undefined);
  try {
    return await work(database);
  } finally {
    await database?.close();
  }
}
