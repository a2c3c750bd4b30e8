import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import { ExchangeFile, type KeptBody, readExchanges } from '../../../src/recordings/store/exchange-file.ts';
import { openStore } from '../../../src/recordings/store/open-store.ts';
import type { RecordingStore } from '../../../src/recordings/store/recording-store.ts';
import { exchange, plainOf } from '../../support/exchanges.ts';
import { leaveAsKilled } from '../../support/killed.ts';
import { writeRecording } from '../../support/recorded-folder.ts';
import { find, turn } from '../../support/recordings.ts';
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

const append = (store: RecordingStore, one: Exchange) => store.append(plainOf(one));

/** Which images the answers are, wherever they stand. */
function imagesIn(store: RecordingStore): number[] {
  const found = find(store, 'PATCH', '/a');
  const all = found.map(({ response }) => store.readBody('PATCH', '/a', response?.body as KeptBody));
  return all.map((bytes) => {
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
    await turn();
    expect(imagesIn(store)).toEqual([1]);
    const reader = await openStore(folder, 'r');
    expect(imagesIn(reader)).toEqual([1]);
    await store.flush();
    append(store, answered(2));
    expect(imagesIn(store)).toEqual([1, 2]);
    await store.close();
    expect(imagesIn(await openStore(folder, 'r'))).toEqual([1, 2]);
    expect(namesIn(folder)).toHaveLength(2);
  });

  it('are there whenever the process is killed, and none is left in the end that nothing names', {
    tags: 'slow',
  }, async () => {
    const folder = temporaryFolder();
    const first = await openStore(folder, 'r', { writable: true });
    for (const n of [1, 2]) append(first, answered(n));
    append(first, answered(3, 'other'));
    await first.close();
    const store = await openStore(folder, 'r', { writable: true, replaces: true });
    append(store, answered(4));
    append(store, answered(5, 'new'));
    await turn();
    const copies = await copyAtEachStep(folder, temporaryFolder(), () => store.flush());
    await store.close();
    expect(copies.length).toBeGreaterThan(10);
    for (const copy of copies) {
      leaveAsKilled(join(copy, 'r'));
      const again = await openStore(copy, 'r', { writable: true, replaces: true });
      expect(imagesIn(again).sort()).toEqual([3, 4, 5]);
      // What was left behind goes when the file is written again.
      append(again, answered(6));
      await again.close();
      expect(namesIn(copy)).toHaveLength(3);
    }
    expect(namesIn(folder)).toHaveLength(3);
  });

  it('stay where an exchange comes again in the place that it had', async () => {
    const folder = temporaryFolder();
    for (let run = 0; run < 2; run++) {
      const store = await openStore(folder, 'r', { writable: true, replaces: true });
      append(store, answered(1));
      await store.flush();
      append(store, answered(2));
      await store.close();
      expect(imagesIn(await openStore(folder, 'r'))).toEqual([1, 2]);
    }
  });

  it('are removed with what a killed run had recorded, when another run replaces it', async () => {
    const folder = temporaryFolder();
    const killed = await openStore(folder, 'r', { writable: true, replaces: true });
    append(killed, answered(1));
    await turn();
    const copies = await copyAtEachStep(folder, temporaryFolder(), async () => undefined);
    await killed.close();
    const copy = copies[0] as string;
    leaveAsKilled(join(copy, 'r'));
    const store = await openStore(copy, 'r', { writable: true, replaces: true });
    writeFileSync(join(copy, 'r', 'a', `PUT~${'0'.repeat(32)}.png`), 'of another method');
    append(store, answered(2));
    await store.close();
    expect(imagesIn(await openStore(copy, 'r'))).toEqual([2]);
    expect(namesIn(copy)).toHaveLength(2);
  });
});

it('is given other exchanges, and rid of what a write that was killed has left', async () => {
  const folder = temporaryFolder();
  const before = [exchange({ path: '/a', query: '1' }), exchange({ path: '/a', query: '2' })];
  writeRecording(folder, before);
  const name = join(folder, 'a', 'PATCH.json');
  for (const left of ['.PATCH.json.4711-1.tmp', '.GET.json.4711-1.tmp'])
    writeFileSync(join(folder, 'a', left), '{');
  const after = [before[0] as (typeof before)[0], exchange({ path: '/a', query: '3' })];
  const file = new ExchangeFile(name, { method: 'PATCH', path: '/a' }, true);
  await file.replace(after);
  expect(readExchanges(name)).toEqual(after);
  // That of another file is another's.
  expect(readdirSync(join(folder, 'a')).sort()).toEqual(['.GET.json.4711-1.tmp', 'PATCH.json']);
  file.remove();
  expect(readExchanges(name)).toBeUndefined();
});

describe('what cannot be a file of exchanges is refused by its name', () => {
  function place(): string {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'x'));
    return join(folder, 'x', 'GET.json');
  }

  it('a folder', () => {
    const file = place();
    mkdirSync(file);
    expect(() => readExchanges(file)).toThrow(`cannot read ${file}: it is no file`);
  });

  it('a link to itself', () => {
    const file = place();
    symlinkSync(file, file);
    expect(() => readExchanges(file)).toThrow(`cannot read ${file}: ELOOP`);
  });

  it.skipIf(process.platform === 'win32')('a pipe, which is not waited for', () => {
    const file = place();
    execFileSync('mkfifo', [file]);
    expect(() => readExchanges(file)).toThrow(`cannot read ${file}: it is no file`);
  });

  it('what is longer than any text', () => {
    const file = place();
    writeFileSync(file, '');
    truncateSync(file, 600 * 1024 * 1024);
    expect(() => readExchanges(file)).toThrow(`cannot read ${file}: with 629145600 bytes`);
  });
});
