import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import type { KeptBody } from '../../../src/recordings/files/body-files.ts';
import { openStore } from '../../../src/recordings/open-store.ts';
import type { RecordingStore } from '../../../src/recordings/store.ts';
import { exchange, plainOf } from '../../support/exchanges.ts';
import { leaveAsKilled } from '../../support/killed.ts';
import { copyAtEachStep } from '../../support/steps.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** No text, and too long to stand in a file of its own exchange. */
function image(n: number): Buffer {
  return Buffer.alloc(5000 + n, 0xf0 + n);
}

function answered(n: number, query = ''): Exchange {
  const base64 = image(n).toString('base64');
  return exchange({ path: '/a', query, headers: { 'content-type': 'image/png' }, answer: { base64 } });
}

const append = (store: RecordingStore, one: Exchange, replace = false) => store.append(plainOf(one), replace);

/** Which images the answers are, wherever they stand. */
async function imagesIn(store: RecordingStore): Promise<number[]> {
  const found = await store.find('PATCH', '/a');
  const all = found.map(({ response }) => store.readBody('PATCH', '/a', response?.body as KeptBody));
  return (await Promise.all(all)).map((bytes) => {
    const n = bytes.length - 5000;
    expect(bytes.equals(image(n))).toBe(true);
    return n;
  });
}

const namesIn = (folder: string) =>
  readdirSync(join(folder, 'r', 'a')).filter((name) => name.endsWith('.png'));

describe('bodies in files of their own', () => {
  it('are those of exchanges that wait in the journal, too, for whoever asks', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    append(store, answered(1));
    expect(await imagesIn(store)).toEqual([1]);
    const reader = await openStore(folder, 'r');
    expect(await imagesIn(reader)).toEqual([1]);
    await store.flush();
    append(store, answered(2));
    expect(await imagesIn(store)).toEqual([1, 2]);
    await store.close();
    expect(await imagesIn(await openStore(folder, 'r'))).toEqual([1, 2]);
    expect(namesIn(folder)).toHaveLength(2);
  });

  it('are there whenever the process is killed, and none is left in the end that nothing names', async () => {
    const folder = temporaryFolder();
    const first = await openStore(folder, 'r', { writable: true });
    for (const n of [1, 2]) append(first, answered(n));
    append(first, answered(3, 'other'));
    await first.close();
    const store = await openStore(folder, 'r', { writable: true });
    append(store, answered(4), true);
    append(store, answered(5, 'new'));
    const copies = await copyAtEachStep(folder, temporaryFolder(), () => store.flush());
    await store.close();
    expect(copies.length).toBeGreaterThan(10);
    for (const copy of copies) {
      leaveAsKilled(join(copy, 'r'));
      const again = await openStore(copy, 'r', { writable: true });
      expect((await imagesIn(again)).sort()).toEqual([3, 4, 5]);
      // What was left behind goes when the file is written again.
      append(again, answered(6), true);
      await again.close();
      expect(namesIn(copy)).toHaveLength(3);
    }
    expect(namesIn(folder)).toHaveLength(3);
  });

  it('stay where an exchange comes again in the place that it had', async () => {
    const folder = temporaryFolder();
    for (let run = 0; run < 2; run++) {
      const store = await openStore(folder, 'r', { writable: true, cacheBytes: 1000 });
      append(store, answered(1), true);
      await store.flush();
      append(store, answered(2));
      await store.close();
      expect(await imagesIn(await openStore(folder, 'r'))).toEqual([1, 2]);
    }
  });

  it('are removed with what a killed run had recorded, when another run replaces it', async () => {
    const folder = temporaryFolder();
    const killed = await openStore(folder, 'r', { writable: true });
    append(killed, answered(1), true);
    const copies = await copyAtEachStep(folder, temporaryFolder(), async () => undefined);
    await killed.close();
    const copy = copies[0] as string;
    leaveAsKilled(join(copy, 'r'));
    const store = await openStore(copy, 'r', { writable: true });
    writeFileSync(join(copy, 'r', 'a', `PUT~${'0'.repeat(32)}.png`), 'of another method');
    append(store, answered(2), true);
    await store.close();
    expect(await imagesIn(await openStore(copy, 'r'))).toEqual([2]);
    expect(namesIn(copy)).toHaveLength(2);
  });
});
