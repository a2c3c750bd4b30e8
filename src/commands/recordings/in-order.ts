import type { Exchange } from '../../model/exchange.ts';
import { orderTimes } from '../../recordings/order-times.ts';
import type { RecordingStore } from '../../recordings/store.ts';
import type { Choose } from './selection.ts';

/** An exchange with its number in its recording, from 1. */
export interface Numbered {
  number: number;
  /** Its place among those of its method and path, from 0. */
  index: number;
  exchange: Exchange;
}

type Path = Readonly<{ method: string; path: string }>;

interface Placed {
  number: number;
  time: number;
  /** Index of its method and path, and in their file. */
  file: number;
  index: number;
  /** Characters, about. */
  size: number;
  isChosen: boolean;
  /** As long as all fit into memory. */
  exchange?: Exchange | undefined;
}

/** Characters of exchanges that are in memory at once, beyond one file. */
const BATCH = 16 * 1024 * 1024;

/**
 * The exchanges of a recording in the order in which they were recorded, which in one file is the file's own. All is
 * read before the first exchange is given; where it does not fit into memory, it is read again, some files at a time.
 *
 * @param partOf what is needed of an exchange, where that is not all of it
 * @throws PatchgateError `bad-recording` where a file is broken, before anything is given
 */
export async function* inOrder(
  store: RecordingStore,
  choose: Choose,
  partOf: (exchange: Exchange) => Exchange = (exchange) => exchange,
): AsyncGenerator<Numbered> {
  const files: Path[] = [];
  for await (const place of store.paths()) files.push(place);
  files.sort((a, b) => compare(a.path, b.path) || compare(a.method, b.method));
  const placed = await placesOf(store, files, choose, partOf);
  const chosen = placed.filter(({ isChosen }) => isChosen);
  for (let from = 0; from < chosen.length; ) {
    let to = from;
    for (let size = 0; to < chosen.length && size < BATCH; to++) size += (chosen[to] as Placed).size;
    yield* await read(store, files, chosen.slice(from, to), partOf);
    from = to;
  }
}

/** In the order of recording. */
async function placesOf(
  store: RecordingStore,
  files: readonly Path[],
  choose: Choose,
  partOf: (exchange: Exchange) => Exchange,
): Promise<Placed[]> {
  const placed: Placed[] = [];
  let held = 0;
  for (const [file, { method, path }] of files.entries()) {
    const timeOf = orderTimes();
    for (const [index, whole] of (await store.find(method, path)).entries()) {
      const time = timeOf(whole);
      const isChosen = choose(whole);
      const exchange = isChosen ? partOf(whole) : undefined;
      const size = exchange ? JSON.stringify(exchange).length : 0;
      const mayHold = held <= BATCH;
      held += size;
      placed.push({ number: 0, time, file, index, size, isChosen, exchange: mayHold ? exchange : undefined });
      if (mayHold && held > BATCH) for (const one of placed) one.exchange = undefined;
    }
  }
  placed.sort((a, b) => a.time - b.time);
  for (const [index, place] of placed.entries()) place.number = index + 1;
  return placed;
}

/** Each file once. */
async function read(
  store: RecordingStore,
  files: readonly Path[],
  batch: readonly Placed[],
  partOf: (exchange: Exchange) => Exchange,
): Promise<Numbered[]> {
  const found: Numbered[] = [];
  let last = -1;
  let exchanges: readonly Exchange[] = [];
  for (const { file, index, number, exchange: held } of batch.toSorted((a, b) => a.file - b.file)) {
    if (!held && file !== last) {
      const { method, path } = files[file] as Path;
      exchanges = await store.find(method, path);
      last = file;
    }
    const again = exchanges[index];
    // Whoever records at the same time may have taken it away.
    const exchange = held ?? (again && partOf(again));
    if (exchange) found.push({ number, index, exchange });
  }
  return found.sort((a, b) => a.number - b.number);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
