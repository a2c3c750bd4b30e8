import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { openStore } from '../../src/recordings/store.ts';
import { find } from '../support/recordings.ts';
import { bundleProgram, startProgram } from '../support/store-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PATHS = ['/a', '/b', '/c/d'];

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

function numberIn({ request }: Exchange): number {
  return (request.body as unknown as { json: { number: number } }).json.number;
}

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
