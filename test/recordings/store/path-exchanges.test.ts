import { copyFileSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import { openStore } from '../../../src/recordings/store/open-store.ts';
import type { RecordingStore } from '../../../src/recordings/store/recording-store.ts';
import { exchange, plainOf } from '../../support/exchanges.ts';

const folder = mkdtempSync(join(tmpdir(), 'patchgate-again-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What happens in a run: an exchange of one of three requests, answered in one of three ways or not; or all is compacted. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ request: fc.nat(2), answer: fc.nat(3), session: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.constant('compact' as const) },
);
const run = fc.record({ replaces: fc.boolean(), steps: fc.array(step, { maxLength: 12 }) });

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a journal that is applied again', () => {
  it('changes nothing, however far its lines had got into the files', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 3 }), async (runs) => {
        const name = `r${++count}`;
        const left: string[] = [];
        for (const [i, { replaces, steps }] of runs.entries()) {
          const store = await openStore(folder, name, { writable: true, replaces });
          for (const [j, one] of steps.entries()) {
            if (one !== 'compact') append(store, one, 100 * i + j);
            else {
              await turn();
              const before = save(name, `${name}-${i}-${j}-journal`);
              await store.flush();
              // Killed after the files were written, and before the journal was emptied.
              left.push(copy(name, `${name}-${i}-${j}`, before));
            }
            await turn();
          }
          left.push(copy(name, `${name}-${i}-killed`));
          await store.close();
          for (const other of left.splice(0)) {
            const again = await openStore(folder, other, { writable: true });
            await again.close();
            const first = textOf(other);
            // Where a place is vacant in the middle of a run is known in memory alone.
            if (other.endsWith('killed')) expect(sequencesOf(first)).toEqual(sequencesOf(textOf(name)));
            else expect(first).toBe(textOf(`${other}-as-it-was`));
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

function append(
  store: RecordingStore,
  { request, answer, session }: { request: number; answer: number; session: number },
  time: number,
) {
  const plain = plainOf(
    exchange({
      body: { json: { request } },
      answer: { json: answer },
      recordedAt: new Date(Date.UTC(2026, 0, 1) + time * 1000).toISOString(),
      ...(session === 1 && { session: 'one' }),
    }),
  );
  const failed = {
    ...plain,
    response: { status: 0, headers: [], body: Buffer.alloc(0) },
    failure: 'timeout' as const,
  };
  store.append(answer === 3 ? failed : plain);
}

/** Keeps a copy of a recording's journal. */
function save(name: string, as: string): string | undefined {
  const journal = join(folder, name, '.patchgate/journal.ndjson');
  if (!existsSync(journal)) return undefined;
  copyFileSync(journal, join(folder, as));
  return join(folder, as);
}

/** A copy of a recording, as it is or with a journal of before; and one more to compare with. */
function copy(name: string, as: string, journal?: string): string {
  cpSync(join(folder, name), join(folder, as), { recursive: true });
  rmSync(join(folder, as, '.patchgate/lock'), { force: true });
  if (journal !== undefined) {
    cpSync(join(folder, name), join(folder, `${as}-as-it-was`), { recursive: true });
    copyFileSync(journal, join(folder, as, '.patchgate/journal.ndjson'));
  } else if (!as.endsWith('killed'))
    cpSync(join(folder, name), join(folder, `${as}-as-it-was`), { recursive: true });
  return as;
}

function textOf(name: string): string {
  const files = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json') && !dirname(file).includes('.patchgate'))
    .sort();
  return files.map((file) => `${file}\n${readFileSync(join(folder, name, file), 'utf8')}`).join('\n');
}

/** What was answered to each request in each session, in order. */
function sequencesOf(text: string): Record<string, unknown[]> {
  const sequences: Record<string, unknown[]> = {};
  if (text === '') return sequences;
  const { exchanges } = JSON.parse(text.slice(text.indexOf('\n'))) as { exchanges: Exchange[] };
  for (const { request, response, failure, meta } of exchanges) {
    const key = JSON.stringify([request, meta.session]);
    sequences[key] = [...(sequences[key] ?? []), response ?? failure];
  }
  return sequences;
}
