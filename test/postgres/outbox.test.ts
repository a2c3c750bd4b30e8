// @module-tag postgres
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/postgres/database.ts';
import { Outbox, type OutboxOptions } from '../../src/postgres/outbox.ts';
import { decodeFrame, encodeFrame, Journal } from '../../src/recordings/journal.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { exchange, plainOf } from '../support/exchanges.ts';
import { NO_PID } from '../support/killed.ts';
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
  const about = { database, recording: 'r', mode: 'append' as const, patience: 2000 };
  const outbox = await Outbox.open({ ...about, folder, notice, ...options });
  cleanUpLater(() => outbox.close().catch(() => undefined));
  return { outbox, notices, folder };
}

const frameOf = (text: string) => plainOf(exchange({ answer: { text } }));

async function textsIn(database: Database): Promise<string[]> {
  const rows = await database.query<{ frame: Buffer }>(
    'SELECT frame FROM patchgate_exchange ORDER BY ordinal',
  );
  return rows.map(({ frame }) => decodeFrame(frame).response.body.toString());
}

function filesIn(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  return all.filter((found) => found.isFile() && found.name !== '.gitignore').map(({ name }) => name);
}

/** What a killed process has left. @returns its folder */
function leave(database: Database, folder: string, ...texts: string[]): string {
  const left = join(folder, database.id, 'r', 'dead');
  const journal = new Journal(left, { run: 'dead', mode: 'append' });
  journal.append(texts.map((text) => encodeFrame(frameOf(text))));
  journal.close();
  return left;
}

describe('an outbox', { tags: 'slow' }, () => {
  it('ships what is appended, in its order, and is gone when it is closed', async () => {
    const database = await openAt(await server.database());
    const { outbox, folder } = await open(database);
    const texts = Array.from({ length: 1200 }, (_, i) => `${i} \u0000 "quoted" \\`);
    let kept = 0;
    for (const text of texts) outbox.append(frameOf(text), () => kept++);
    await turn();
    expect(kept).toBe(1200);
    expect(outbox.counts).toMatchObject({ waiting: 1200, lost: 0 });
    await expect.poll(() => outbox.counts).toEqual({ waiting: 0, lost: 0, journalBytes: 0 });
    expect(await textsIn(database)).toEqual(texts);
    await outbox.close();
    expect(filesIn(folder)).toEqual([]);
  });

  it('has each frame and line of the audit on disk before the answers of its turn go out', async () => {
    const url = await server.database();
    const lost = await openAt(url);
    const { outbox, folder } = await open(lost);
    await lost.close();
    outbox.append(frameOf('waits'));
    outbox.appendAudit('2026-11-20T12:00:00.000Z', '{"audit": "\\u0000"}');
    await turn();
    const database = await openAt(url);
    // It lives: another gate leaves it alone.
    await (await open(database, { folder })).outbox.close();
    expect(await textsIn(database)).toEqual([]);
    const [lock] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('lock'),
    );
    const file = join(folder, lock as string);
    writeFileSync(file, `${JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), pid: NO_PID })}\n`);
    await (await open(database, { folder })).outbox.close();
    expect(await textsIn(database)).toEqual(['waits']);
    expect(await database.query('SELECT at, line FROM patchgate_audit')).toEqual([
      { at: new Date('2026-11-20T12:00:00.000Z'), line: { audit: '\u0000' } },
    ]);
  });

  it('that a killed gate has left is shipped by the next start, each frame once', async () => {
    const database = await openAt(await server.database());
    const folder = temporaryFolder();
    for (const round of [1, 2]) {
      const left = leave(database, folder, '1', '2', '3');
      appendFileSync(join(left, 'journal'), '{"at":1,"ms"');
      const { notices } = await open(database, { folder });
      expect(await textsIn(database)).toEqual(['1', '2', '3']);
      expect(existsSync(left), `${round}`).toBe(false);
      expect(notices).toEqual([expect.stringContaining('is in the database now')]);
    }
  });

  it('of another database is left alone, and one that is broken keeps its frames', async () => {
    const database = await openAt(await server.database());
    const folder = temporaryFolder();
    const other = leave({ ...database, id: 'other' } as Database, folder, '1');
    const broken = leave(database, folder, '1');
    writeFileSync(join(broken, 'journal'), 'no journal\n');
    const { notices } = await open(database, { folder });
    expect(notices).toEqual([
      expect.stringMatching(/keeps what is not in the database yet: .*this is no journal/),
    ]);
    expect([existsSync(other), existsSync(broken)]).toEqual([true, true]);
  });

  it('bridges an outage, and says so once', async () => {
    const own = await startPostgres();
    const database = await openAt(await own.database());
    const { outbox, notices } = await open(database);
    await own.kill();
    for (const text of ['1', '2', '3']) {
      outbox.append(frameOf(text));
      await outbox.flush();
    }
    expect(outbox.counts).toMatchObject({ waiting: 3, lost: 0 });
    expect(outbox.trouble?.message).toContain('the database of the gates is away');
    await own.start();
    await expect.poll(() => outbox.counts.waiting, { timeout: 20_000 }).toBe(0);
    expect(await textsIn(database)).toEqual(['1', '2', '3']);
    expect(outbox.trouble).toBeUndefined();
    expect(notices).toEqual([
      expect.stringContaining('Nothing is lost'),
      'recording into the database works again: nothing is missing',
    ]);
  }, 60_000);
});
