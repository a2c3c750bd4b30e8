import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabaseOf, openShared } from '../../src/app/open-database.ts';
import { lineText } from '../../src/postgres/ship.ts';
import { config as configOf } from '../support/config.ts';
import { startPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const notice = () => undefined;

it('leaves what a gate of another namespace has left', { tags: 'slow', timeout: 60_000 }, async () => {
  const server = await startPostgres();
  const store = await server.database();
  const folder = temporaryFolder();
  const left = join(folder, 'outbox', '%2E%2E%2Fteam', 'dead.ndjson');
  mkdirSync(dirname(left), { recursive: true });
  const head = { recording: 'r', method: 'GET', path: '/a', sequence: 'ab', run: 'one' };
  writeFileSync(left, lineText(1, head, '{}'));
  const start = async (namespace: string) => {
    const config = await configOf({ flags: { store, namespace, state: join(folder, 'state.json') } });
    const { database, close } = await openShared(config, { notice }, { records: true });
    const rows = await database?.query('SELECT namespace, recording FROM patchgate_path');
    await close();
    return rows;
  };
  expect(await start('default')).toEqual([]);
  expect(existsSync(left)).toBe(true);
  expect(await start('../team')).toEqual([{ namespace: '../team', recording: 'r' }]);
  expect(existsSync(left)).toBe(false);
});

it('says what is not used without a database', async () => {
  const notices = async (flags: Record<string, unknown>) => {
    const said: string[] = [];
    await openDatabaseOf(await configOf({ flags }), { notice: (text) => said.push(text) });
    return said;
  };
  expect(await notices({})).toEqual([]);
  expect(await notices({ namespace: 'team', run: 'one' })).toEqual([
    '--namespace team is not used: no database is given with --store',
    '--run one is not used: no database is given with --store',
  ]);
});
