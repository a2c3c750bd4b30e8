/** What processes of their own record: with little memory, and beside readers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { openStore } from '../../src/recordings/store.ts';
import { bundleProgram } from '../support/bundle.ts';
import { find } from '../support/recordings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Runs a program of the sources. @returns its lines so far, and its exit code in the end */
async function start(source: string, folder: string, ...options: string[]) {
  const program = await bundleProgram(source, folder);
  const child = spawn(process.execPath, [...options, program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return { child, lines, ended: once(child, 'close').then(([code]) => code as number | null) };
}

/** Appends an exchange with a number in its bodies. */
const APPEND = `
  import { openStore } from './src/recordings/store.ts';
  const append = (store, path, number, size) => {
    const body = Buffer.from(JSON.stringify({ number, padding: 'x'.repeat(size) }));
    store.append({
      request: { method: 'PATCH', path, query: '', headers: ['content-type', 'application/json'], body },
      response: { status: 200, headers: ['content-type', 'application/json'], body },
      meta: { recordedAt: new Date(1_790_000_000_000 + number).toISOString(), durationMs: 1 },
    });
  };`;

const numberIn = ({ request }: Exchange) =>
  (request.body as unknown as { json: { number: number } }).json.number;

/** Fifty megabytes on fifty paths, under the eyes of a collector that allows for less. */
const MUCH = `${APPEND}
  const store = await openStore(process.argv[2], 'r', { mode: 'all', mostBytes: 8_000_000 });
  for (let number = 0; number < 6000; number++) {
    append(store, '/' + (number % 50), number, 4000);
    // What its file has is in memory no longer.
    if (number % 3000 === 0) await store.flush();
  }
  await store.close();
  console.log(store.status()?.trouble ?? 'closed');
`;

it('a recording that is larger than the memory is written all the same', async () => {
  const folder = temporaryFolder();
  const { lines, ended } = await start(MUCH, folder, '--max-old-space-size=32');
  expect([await ended, lines]).toEqual([0, ['closed']]);
  const store = await openStore(folder, 'r');
  for (let path = 0; path < 50; path++)
    expect(find(store, 'PATCH', `/${path}`).map(numberIn)).toEqual(
      Array.from({ length: 120 }, (_, n) => 50 * n + path),
    );
});

const PATHS = ['/a', '/b', '/c/d'];

/** Appends and writes without end, each part of what it does in its turn, and says what was appended. */
const WRITING = `${APPEND}
  const store = await openStore(process.argv[2], 'r', { mode: 'append' });
  for (let number = 1; ; number++) {
    append(store, ${JSON.stringify(PATHS)}[number % 3], number, number % 900);
    await new Promise(setImmediate);
    process.stdout.write(number + '\\n');
    // Slowly: what the readers have to read must not grow faster than they read.
    if (number % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 4));
    if (number % 30 === 0) await store.flush();
  }
`;

it('readers beside a writer find what was there at their start, once, whatever it does', async () => {
  const folder = temporaryFolder();
  const { child, lines, ended } = await start(WRITING, folder);
  try {
    await expect.poll(() => lines.length).toBeGreaterThan(10);
    for (let round = 0; round < 20; round++) {
      const said = Number(lines.at(-1));
      const reader = await openStore(folder, 'r');
      // Meanwhile more comes, and gets into the files.
      await expect.poll(() => Number(lines.at(-1)), { interval: 1 }).toBeGreaterThan(said + round);
      const lists = PATHS.map((path) => find(reader, 'PATCH', path).map(numberIn));
      for (const numbers of lists) expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      const found = new Set(lists.flat());
      const missing = Array.from({ length: said }, (_, i) => i + 1).filter((number) => !found.has(number));
      expect(missing, `round ${round}, of ${said}`).toEqual([]);
      await reader.close();
    }
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
});
