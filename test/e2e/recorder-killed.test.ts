import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { openStore } from '../../src/recordings/store.ts';
import { crashRounds } from '../support/crash-rounds.ts';
import { find } from '../support/recordings.ts';
import { bundleProgram, startProgram } from '../support/store-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PATHS = ['/a', '/b', '/c/d'];

/** Appends without end and says the number of each exchange that was appended, as a client that got its response. */
const APPENDING = `
  import { openStore } from './src/recordings/store.ts';
  const [folder, first] = process.argv.slice(2);
  const store = await openStore(folder, 'r', { writable: true, mostBytes: 60_000 });
  for (let number = Number(first); ; number++) {
    const path = ${JSON.stringify(PATHS)}[number % 3];
    const body = Buffer.from(JSON.stringify({ number, padding: 'x'.repeat(number % 500) }));
    store.append({
      request: { method: 'PATCH', path, query: '', headers: ['content-type', 'application/json'], body },
      response: { status: 200, headers: ['content-type', 'application/json'], body },
      startedAt: 1_790_000_000_000 + number,
      durationMs: 1,
    });
    // Those of a turn are in the journal once it is over.
    if (number % 5 === 0) {
      await new Promise(setImmediate);
      for (let told = number - 4; told <= number; told++) process.stdout.write(told + '\\n');
    }
    if (number % 400 === 0) await store.flush();
  }
`;

function numberIn({ request }: Exchange): number {
  return (request.body as unknown as { json: { number: number } }).json.number;
}

describe('a process that is killed', () => {
  it('leaves everything that it said was appended, once and in order', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const program = await bundleProgram(APPENDING, folder);
    const rounds: { first: number; said: number }[] = [];
    for (let round = 0; round < 6; round++) {
      const first = round * 1_000_000;
      // Each dies at another moment: while it only appends, while it writes, soon after it began anew.
      const last = first + 20 + Math.floor(Math.random() * 1200);
      const running = startProgram(program, [folder, String(first)], (line) => {
        if (Number(line) === last) running.child.kill('SIGKILL');
      });
      expect(await running.ended).toBeNull();
      rounds.push({ first, said: Number(running.lines.at(-1)) });
    }
    const store = await openStore(folder, 'r');
    const lists = PATHS.map((path) => find(store, 'PATCH', path));
    for (const [i, list] of lists.entries()) {
      const numbers = list.map(numberIn);
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      for (const { first, said } of rounds) {
        const kept = new Set(numbers.filter((number) => number >= first && number < first + 1_000_000));
        for (let number = first; number <= said; number++) {
          if (number % 3 === i && !kept.has(number)) expect.fail(`${number} of ${first}-${said} is lost`);
        }
      }
    }
    expect(lists.flat().length).toBeGreaterThan(100);
  });
});

describe('the program', () => {
  it('has kept whatever a client received whole, when it is killed', { timeout: 60_000 }, async () => {
    // Of this seed are each moment that has something to lose, and few requests. More rounds: npm run crash.
    const tally = await crashRounds(4, 1314);
    expect(Object.keys(tally.kills)).toEqual([
      'in the midst of requests',
      'after it wrote and went on',
      'while it stops',
      'while it writes',
    ]);
    expect(tally).toMatchObject({ rounds: 4 });
    expect(tally.received).toBeGreaterThan(0);
  });
});

/** Fifty megabytes on fifty paths, under the eyes of a collector that allows for less. */
const MUCH = `
  import { openStore } from './src/recordings/store.ts';
  const store = await openStore(process.argv[2], 'r', { writable: true, replaces: true, mostBytes: 8_000_000 });
  for (let number = 0; number < 6000; number++) {
    const body = Buffer.from(JSON.stringify({ number, padding: 'x'.repeat(4000) }));
    store.append({
      request: { method: 'PATCH', path: '/' + (number % 50), query: '', headers: ['content-type', 'application/json'], body },
      response: { status: 200, headers: ['content-type', 'application/json'], body },
      startedAt: 1_790_000_000_000 + number,
      durationMs: 1,
    });
    // What its file has is in memory no longer.
    if (number % 3000 === 0) await store.flush();
  }
  await store.close();
  console.log(store.trouble ?? 'closed');
`;

describe('a recording that is larger than the memory', () => {
  it('is written all the same', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const program = await bundleProgram(MUCH, folder);
    const running = startProgram(program, [folder], undefined, ['--max-old-space-size=32']);
    expect(await running.ended).toBe(0);
    expect(running.lines).toEqual(['closed']);
    const store = await openStore(folder, 'r');
    const lists = Array.from({ length: 50 }, (_, path) => find(store, 'PATCH', `/${path}`).map(numberIn));
    for (const [path, list] of lists.entries())
      expect(list).toEqual(Array.from({ length: 120 }, (_, n) => 50 * n + path));
  });
});

/** Appends and writes without end, each part of what it does in its turn, and says what was appended. */
const WRITING = `
  import { openStore } from './src/recordings/store.ts';
  const store = await openStore(process.argv[2], 'r', { writable: true });
  for (let number = 1; ; number++) {
    const path = ${JSON.stringify(PATHS)}[number % 3];
    const body = Buffer.from(JSON.stringify({ number, padding: 'x'.repeat(number % 900) }));
    store.append({
      request: { method: 'PATCH', path, query: '', headers: ['content-type', 'application/json'], body },
      response: { status: 200, headers: ['content-type', 'application/json'], body },
      startedAt: 1_790_000_000_000 + number,
      durationMs: 1,
    });
    await new Promise(setImmediate);
    process.stdout.write(number + '\\n');
    // Slowly: what the readers have to read must not grow faster than they read.
    if (number % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 4));
    if (number % 30 === 0) await store.flush();
  }
`;

describe('readers beside a writer', () => {
  it('find what was there at their start, once, whatever it does', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const program = await bundleProgram(WRITING, folder);
    const writer = startProgram(program, [folder]);
    try {
      await expect.poll(() => writer.lines.length).toBeGreaterThan(10);
      for (let round = 0; round < 20; round++) {
        const said = Number(writer.lines.at(-1));
        const reader = await openStore(folder, 'r');
        // Meanwhile more comes, and gets into the files.
        await expect.poll(() => Number(writer.lines.at(-1)), { interval: 1 }).toBeGreaterThan(said + round);
        const lists = PATHS.map((path) => find(reader, 'PATCH', path));
        for (const list of lists) {
          const numbers = list.map(numberIn);
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        }
        const found = new Set(lists.flat().map(numberIn));
        const missing = Array.from({ length: said }, (_, i) => i + 1).filter((number) => !found.has(number));
        expect(missing, `round ${round}, of ${said}`).toEqual([]);
        await reader.close();
      }
    } finally {
      writer.child.kill('SIGKILL');
      await writer.ended;
    }
    expect(writer.lines.length).toBeGreaterThan(100);
  });
});
