import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runList } from '../../../src/commands/recordings/list.ts';
import { openStore } from '../../../src/recordings/store.ts';
import { exchange, plainOf } from '../../support/exchanges.ts';
import { recordAll, textOutput } from '../../support/recordings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

const operationOf = (method: string) => (method === 'PATCH' ? 'updateProject' : undefined);

async function list(folder: string, format: 'text' | 'json' = 'text') {
  const output = textOutput();
  const code = await runList({ folder, format, now: NOW, operationOf }, output);
  return { code, text: output.text };
}

const THREE = [
  exchange({ body: { json: { a: 1 } }, recordedAt: '2026-11-18T12:00:00.000Z' }),
  exchange({ body: { json: { a: 2 } }, recordedAt: '2026-11-21T09:00:00.000Z' }),
  exchange({ method: 'GET', path: '/api/v2/x', recordedAt: '2026-11-20T12:00:00.000Z' }),
];

describe('recordings list', () => {
  it('has a line for each recording, sorted and aligned', async () => {
    const folder = temporaryFolder();
    await recordAll(folder, 'second', THREE.slice(2));
    await recordAll(folder, 'a-first-one', THREE);
    const { code, text } = await list(folder);
    expect(code).toBe(0);
    expect(text.replace(/ [\d.]+ K?i?B/g, (size) => `${' '.repeat(size.length - 1)}#`).split('\n')).toEqual([
      expect.stringMatching(/^recording +exchanges +paths +operations +size +oldest +newest +waiting$/),
      expect.stringMatching(
        /^a-first-one +3 +2 +GET 1, updateProject 2 +# +2026-11-18 \(3d\) +2026-11-21 \(3h\) +-$/,
      ),
      expect.stringMatching(/^second +1 +1 +GET 1 +# +2026-11-20 \(1d\) +2026-11-20 \(1d\) +-$/),
      '',
    ]);
    const [head, first, second] = text.split('\n') as [string, string, string];
    expect(first.indexOf('2026-11-18')).toBe(head.indexOf('oldest'));
    expect(second.indexOf('2026-11-20')).toBe(head.indexOf('oldest'));
  });

  it('has a recording, too, to which a link leads', async () => {
    const folder = temporaryFolder();
    const shared = temporaryFolder();
    await recordAll(shared, 'x', THREE);
    symlinkSync(join(shared, 'x'), join(folder, 'linked'));
    symlinkSync(join(shared, 'missing'), join(folder, 'nowhere'));
    expect((await list(folder)).text).toMatch(/^linked +3 /m);
    expect((await list(folder)).text).not.toContain('nowhere');
  });

  it('counts what waits in the journal of who records now', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'x', { writable: true });
    for (const one of THREE) store.append(plainOf(one));
    const { recordings } = JSON.parse((await list(folder, 'json')).text);
    expect(recordings[0]).toMatchObject({ exchanges: 0, waiting: 3 });
    await store.flush();
    expect(JSON.parse((await list(folder, 'json')).text).recordings[0]).toMatchObject({
      exchanges: 3,
      waiting: 0,
    });
    await store.close();
  });

  it('names what is broken with its place, lists the others, and says so by its exit code', async () => {
    const folder = temporaryFolder();
    await recordAll(folder, 'x', THREE);
    await recordAll(folder, 'y', THREE);
    const file = join(folder, 'x', 'api', 'v2', 'x', 'GET.json');
    writeFileSync(file, '{\n  "formatVersion": 2\n}');
    const { code, text } = await list(folder);
    expect(code).toBe(2);
    expect(text).toContain(`  cannot read ${file}:2:20: the file is of format 2`);
    expect(text).toMatch(/^x +2 .*\n {2}cannot read .*\ny +3 /m);
  });

  it('tells machines times and sizes as they are', async () => {
    const folder = temporaryFolder();
    await recordAll(folder, 'x', THREE);
    expect(JSON.parse((await list(folder, 'json')).text)).toEqual({
      recordings: [
        {
          name: 'x',
          exchanges: 3,
          paths: 2,
          operations: { GET: 1, updateProject: 2 },
          size: expect.any(Number),
          oldest: '2026-11-18T12:00:00.000Z',
          newest: '2026-11-21T09:00:00.000Z',
          waiting: 0,
          trouble: [],
        },
      ],
    });
  });

  it('says that there is nothing', async () => {
    const folder = temporaryFolder();
    expect(await list(folder)).toEqual({ code: 0, text: `no recordings in ${folder}\n` });
    expect((await list(join(folder, 'missing'))).code).toBe(0);
    mkdirSync(join(folder, 'empty'));
    writeFileSync(join(folder, 'file'), '');
    expect((await list(folder)).text).toMatch(/\nempty +0 +0 +- +0 B +- +- +-\n$/);
  });
});
