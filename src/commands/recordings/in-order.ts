import type { Exchange } from '../../model/exchange.ts';
import { findRecording } from '../../recordings/find-recording.ts';
import { orderTimes } from '../../recordings/order-times.ts';
import { openStore } from '../../recordings/store/open-store.ts';
import type { RecordingStore } from '../../recordings/store/recording-store.ts';
import type { Choose } from './selection.ts';

/** An exchange with its number in its recording, from 1. */
export interface Numbered {
  number: number;
  /** Its place among those of its method and path, from 0. */
  index: number;
  exchange: Exchange;
}

/** The exchanges of a recording that are chosen. @throws PatchgateError `bad-usage` where there is none of that name, `bad-recording` */
export async function readInOrder(folder: string, name: string, choose: Choose): Promise<Numbered[]> {
  await findRecording(folder, name);
  const store = await openStore(folder, name);
  try {
    return inOrder(store, choose);
  } finally {
    await store.close();
  }
}

/**
 * The exchanges of a recording in the order in which they were recorded, which in one file is the file's own.
 *
 * @throws PatchgateError `bad-recording` where a file is broken, before anything is given
 */
export function inOrder(store: RecordingStore, choose: Choose): Numbered[] {
  const places = [...store.places()].sort((a, b) => compare(a.path, b.path) || compare(a.method, b.method));
  return places
    .flatMap(({ method, path }) => {
      const timeOf = orderTimes();
      return store
        .exchanges(method, path)
        .all.map(({ exchange }, index) => ({ time: timeOf(exchange), index, exchange }));
    })
    .sort((a, b) => a.time - b.time)
    .map(({ index, exchange }, before) => ({ number: before + 1, index, exchange }))
    .filter(({ exchange }) => choose(exchange));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
