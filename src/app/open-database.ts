import type { Database } from '../postgres/database.ts';
import type { Config } from '../settings/config.ts';
import type { RuntimeContext } from './compose-upstream.ts';

/**
 * The database of `--store`; undefined without that setting. It is opened once, for all that keep something there.
 *
 * @throws PatchgateError as `openDatabase`
 */
export async function openDatabaseOf(
  { store, namespace }: Pick<Config, 'store' | 'namespace'>,
  { notice }: Pick<RuntimeContext, 'notice'>,
): Promise<Database | undefined> {
  if (store === undefined) return undefined;
  const { openDatabase } = await import('../postgres/database.ts');
  return openDatabase({ url: store, namespace, notice });
}
