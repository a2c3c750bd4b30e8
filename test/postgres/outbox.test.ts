// @module-tag postgres
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/postgres/database.ts';
import { Outbox, type OutboxOptions } from '../../src/postgres/outbox.ts';
import { type ExchangeHead, lineText } from '../../src/postgres/ship.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { leaveLocksAsKilled } from '../support/killed.ts';
import { openAt, type Postgres, startPostgres } from '../support/postgres.ts';
import { turn } from '../support/recordings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

async function open(database: Database, options: Partial<OutboxOptions> = {}) {
  const notices: string[] = [];
  const folder = options.folder ?? temporaryFolder();
  const notice = (text: string) => notices.push(text);
  const outbox = await Outbox.open({ database, folder, notice, patience: 2000, ...options });
  cleanUpLater(() => outbox.close().catch(() => undefined));
  return { outbox, notices, folder };
}

const HEAD: ExchangeHead = { recording: 'r', method: 'GET', path: '/a', sequence: 'ab', run: 'one' };

async function textsIn(database: Database): Promise<string[]> {
  const rows = await database.query<{ text: string }>(
    'SELECT exchange::text AS text FROM patchgate_exchange ORDER BY place',
  );
  return rows.map(({ text }) => text);
}

const outboxesIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.ndjson'));

/** An outbox that a killed process has left. */
function leave(folder: string, lines: readonly string[], torn = ''): string {
  writeFileSync(join(folder, 'dead.ndjson'), lines.join('') + torn);
  return join(folder, 'dead.ndjson');
}

describe('an outbox', { tags: 'slow' }, () => {
  it('ships what is appended, in its order, and is gone when it is closed', async () => {
    const database = await openAt(await server.database());
    const { outbox, folder } = await open(database);
    const texts = Array.from({ length: 1200 }, (_, i) => `{"i": ${i}, "text": "\\u0000 \\"quoted\\" \\\\"}`);
    let kept = 0;
    for (const text of texts) outbox.append(HEAD, text, { onKept: () => kept++ });
    await turn();
    expect(kept).toBe(1200);
    expect(outbox.counts).toMatchObject({ waiting: 1200, lost: 0 });
    await expect.poll(() => outbox.counts).toEqual({ waiting: 0, lost: 0, journalBytes: 0 });
    expect(await textsIn(database)).toEqual(texts);
    expect(await database.query('SELECT path, exchanges FROM patchgate_path')).toEqual([
      { path: '/a', exchanges: 1200 },
    ]);
    await outbox.close();
    expect(outboxesIn(folder)).toEqual([]);
    expect(await database.query('SELECT * FROM patchgate_outbox')).toEqual([]);
  });

  it('has each line with the system before the answers of its turn go out', async () => {
    const database = await openAt(await server.database());
    const { outbox, folder } = await open(database);
    outbox.append(HEAD, '{}');
    outbox.append({ at: '2026-11-20T12:00:00.000Z' }, '{"audit": 1}');
    await turn();
    const [name] = outboxesIn(folder);
    expect(readFileSync(join(folder, name as string), 'utf8')).toBe(
      lineText(1, HEAD, '{}') + lineText(2, { at: '2026-11-20T12:00:00.000Z' }, '{"audit": 1}'),
    );
    await outbox.flush();
    expect(await database.query('SELECT namespace, line FROM patchgate_audit')).toEqual([
      { namespace: 'default', line: { audit: 1 } },
    ]);
  });

  it('is shipped once by the next start, where its gate was killed between COMMIT and drop', async () => {
    const database = await openAt(await server.database());
    const folder = temporaryFolder();
    const lines = [1, 2, 3].map((seq) => lineText(seq, HEAD, String(seq)));
    const file = leave(folder, lines, '[4,{"recor');
    // Two of them are there already.
    await database.query("INSERT INTO patchgate_outbox VALUES ('dead', 2)");
    const { notices } = await open(database, { folder });
    expect(await textsIn(database)).toEqual(['3']);
    expect(existsSync(file)).toBe(false);
    expect(notices).toEqual([expect.stringContaining('is in the database now')]);
    expect(await database.query('SELECT * FROM patchgate_outbox')).toEqual([]);
  });

  it('is left alone while its gate lives, and shipped when that is gone', async () => {
    const url = await server.database();
    const lost = await openAt(url);
    const { outbox, folder } = await open(lost);
    await lost.close();
    outbox.append(HEAD, '"waits"');
    await turn();
    const database = await openAt(url);
    await (await open(database, { folder })).outbox.close();
    expect(await textsIn(database)).toEqual([]);
    leaveLocksAsKilled(folder);
    await (await open(database, { folder })).outbox.close();
    expect(await textsIn(database)).toEqual(['"waits"']);
  });

  it('of another machine is left alone, and told of once', async () => {
    const database = await openAt(await server.database());
    const folder = temporaryFolder();
    const file = leave(folder, [lineText(1, HEAD, '1')]);
    const holder = { pid: 1, host: 'elsewhere', startedAt: '2026-11-20T12:00:00.000Z', id: 'ab' };
    writeFileSync(`${file}.lock`, JSON.stringify(holder));
    const { notices } = await open(database, { folder });
    expect(notices).toEqual([
      expect.stringMatching(/on the host elsewhere .*delete \S+dead\.ndjson\.lock\)$/),
    ]);
    expect(existsSync(file)).toBe(true);
  });

  it('whose folder somebody removes goes on in a new one, and counts what is lost', async () => {
    const own = await startPostgres();
    const database = await openAt(await own.database());
    const { outbox, folder } = await open(database);
    await own.kill();
    outbox.append(HEAD, '1');
    await outbox.flush();
    rmSync(folder, { recursive: true });
    outbox.append(HEAD, '2');
    await turn();
    expect(outbox.counts).toMatchObject({ waiting: 1, lost: 1 });
    await own.start();
    await expect.poll(() => outbox.counts.waiting).toBe(0);
    expect(await textsIn(database)).toEqual(['2']);
  }, 60_000);

  it('keeps what the database does not take, for the next start', async () => {
    const own = await startPostgres();
    const url = await own.database();
    const database = await openAt(url);
    const { outbox, notices, folder } = await open(database);
    await own.kill();
    outbox.append(HEAD, '1');
    await outbox.flush();
    expect(outbox.trouble).toMatchObject({
      message: expect.stringContaining('the database of the gates is away'),
    });
    expect(outbox.counts).toMatchObject({ waiting: 1, lost: 0 });
    await outbox.close();
    const [name] = outboxesIn(folder);
    expect(notices.at(-1)).toMatch(
      /^waiting for the database in .*: 1 line of what was recorded, which the next start/,
    );
    expect(notices.at(-1)).toContain(join(folder, name as string));
    await own.start();
    const again = await openAt(url);
    await open(again, { folder });
    expect(await textsIn(again)).toEqual(['1']);
    expect(outboxesIn(folder)).toEqual([]);
  });

  it('keeps what is for another database, and says so once', async () => {
    const own = await startPostgres();
    const url = await own.database();
    const { outbox, folder } = await open(await openAt(url));
    await own.kill();
    outbox.append(HEAD, '1');
    await outbox.close();
    const [name] = outboxesIn(folder);
    const other = await openAt(await server.database());
    const { outbox: second, notices } = await open(other, { folder });
    await second.close();
    expect(notices).toEqual([
      `${join(folder, name as string)} keeps what is not in the database yet: it is for another database than ${other.name}. Start a gate with --store of that database in this folder, or delete the file`,
    ]);
    expect(await textsIn(other)).toEqual([]);
    expect(outboxesIn(folder)).toEqual([name]);
    await own.start();
    const again = await openAt(url);
    await open(again, { folder });
    expect(await textsIn(again)).toEqual(['1']);
    expect(outboxesIn(folder)).toEqual([]);
  }, 30_000);

  it('ships by itself when the database is back, and says so', async () => {
    const own = await startPostgres();
    const database = await openAt(await own.database());
    const { outbox, notices } = await open(database);
    await own.kill();
    for (let i = 0; i < 3; i++) outbox.append(HEAD, String(i));
    await outbox.flush();
    await own.start();
    await expect.poll(() => outbox.counts.waiting).toBe(0);
    expect(await textsIn(database)).toEqual(['0', '1', '2']);
    expect(outbox.trouble).toBeUndefined();
    expect(notices).toEqual([
      expect.stringMatching(/^RECORDING INTO THE DATABASE FAILS: .* Nothing is lost/),
      expect.stringMatching(/works again: nothing is missing$/),
    ]);
  }, 60_000);

  it('says where no folder can be', async () => {
    const database = await openAt(await server.database());
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    await expect(open(database, { folder: join(file, 'outbox') })).rejects.toMatchObject({
      code: 'cannot-write',
    });
  });

  it('loses what it has no room for, and says so', async () => {
    const own = await startPostgres();
    const database = await openAt(await own.database());
    const { outbox, notices } = await open(database, { mostBytes: 400 });
    await own.kill();
    await database.query('SELECT 1').catch(() => undefined);
    for (let i = 0; i < 10; i++) outbox.append(HEAD, String(i));
    const { waiting, lost } = outbox.counts;
    expect(waiting).toBeGreaterThan(0);
    expect(waiting + lost).toBe(10);
    expect(outbox.trouble).toMatchObject({
      code: 'cannot-write',
      message: expect.stringContaining(`${lost} lines`),
    });
    expect(notices.at(-1)).toContain('lost from now on');
    await expect(outbox.close()).rejects.toMatchObject({ code: 'cannot-write' });
  });

  it('puts aside what the database refuses or takes too long for, and ships the others', async () => {
    const database = await openAt(await server.database());
    // Only the code tells: nobody waits for the time-out.
    await database.query(`
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.exchange::text = '"slow"' THEN RAISE 'statement timeout' USING ERRCODE = '57014'; END IF;
        RETURN NEW;
      END $$`);
    await database.query(
      'CREATE TRIGGER slow BEFORE INSERT ON patchgate_exchange FOR EACH ROW EXECUTE FUNCTION slow()',
    );
    const { outbox, notices, folder } = await open(database);
    for (const text of ['1', '"slow"', '3', 'no JSON', '5']) outbox.append(HEAD, text);
    await outbox.flush();
    expect(await textsIn(database)).toEqual(['1', '3', '5']);
    expect(outbox.counts).toEqual({ waiting: 0, lost: 2, journalBytes: 0 });
    expect(outbox.trouble).toMatchObject({
      code: 'cannot-write',
      message: expect.stringMatching(/^2 lines /),
    });
    expect(database.trouble).toBeUndefined();
    const aside = join(folder, readdirSync(folder).find((name) => name.endsWith('.refused')) as string);
    expect(readFileSync(aside, 'utf8')).toBe(lineText(2, HEAD, '"slow"') + lineText(4, HEAD, 'no JSON'));
    expect(notices).toEqual([
      `A LINE IS NOT RECORDED: the database refuses what ${aside} keeps now: the database took too long: statement timeout (to ship it later, add .ndjson to the name of that file, and start again). This is not said again`,
    ]);
    await database.query('DROP TRIGGER slow ON patchgate_exchange');
    renameSync(aside, `${aside}.ndjson`);
    await open(database, { folder });
    expect(await textsIn(database)).toEqual(['1', '3', '5', '"slow"']);
  });

  it('puts a line aside once, however often those behind it are tried', async () => {
    const database = await openAt(await server.database());
    await database.query(`
      CREATE SEQUENCE tries;
      CREATE FUNCTION full_at_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.exchange::text = '2' AND nextval('tries') = 1 THEN RAISE 'disk full' USING ERRCODE = '53100'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER full_at_first BEFORE INSERT ON patchgate_exchange FOR EACH ROW EXECUTE FUNCTION full_at_first()`);
    const { outbox, folder } = await open(database);
    for (const text of ['no JSON', '2']) outbox.append(HEAD, text);
    await expect.poll(() => outbox.counts).toEqual({ waiting: 0, lost: 1, journalBytes: 0 });
    expect(await textsIn(database)).toEqual(['2']);
    const aside = readdirSync(folder).find((name) => name.endsWith('.refused')) as string;
    expect(readFileSync(join(folder, aside), 'utf8')).toBe(lineText(1, HEAD, 'no JSON'));
  });

  it('drops what other runs have of a sequence with the first answer that replaces', async () => {
    const database = await openAt(await server.database());
    const { outbox } = await open(database);
    const put = (run: string, text: string, replaces = false) =>
      outbox.append({ ...HEAD, run, replaces }, `"${text}"`);
    put('one', 'a');
    put('one', 'b');
    await outbox.flush();
    put('two', 'failure');
    put('two', 'c', true);
    await outbox.flush();
    // Another gate of the same run.
    put('two', 'd', true);
    await outbox.flush();
    expect(await textsIn(database)).toEqual(['"failure"', '"c"', '"d"']);
    expect(await database.query('SELECT exchanges FROM patchgate_path')).toEqual([{ exchanges: 3 }]);
  });

  it('waits for no other in a circle', async () => {
    const url = await server.database();
    const all = await Promise.all(
      Array.from({ length: 4 }, async (_, gate) => {
        const { outbox } = await open(await openAt(url));
        for (let i = 0; i < 300; i++)
          outbox.append({ ...HEAD, path: `/${(gate % 2 ? i : 300 - i) % 20}` }, `"${gate} ${i}"`);
        return outbox;
      }),
    );
    await Promise.all(all.map((outbox) => outbox.flush()));
    for (const outbox of all) expect(outbox.counts).toEqual({ waiting: 0, lost: 0, journalBytes: 0 });
    const database = await openAt(url);
    expect(new Set(await textsIn(database)).size).toBe(1200);
    expect(await database.query('SELECT sum(exchanges)::int AS sum FROM patchgate_path')).toEqual([
      { sum: 1200 },
    ]);
  });
});
