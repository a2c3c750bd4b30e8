import { dirname } from 'node:path';
import type { Exchange } from '../../model/exchange.ts';
import { ExchangeFile, readExchanges } from '../../recordings/store/exchange-file.ts';
import { sizeOf, walk } from './walk.ts';

/** Whether an exchange is to go, given its index in its file. */
export type Goes = (exchange: Exchange, index: number) => boolean;

/** Exchanges that go, and the files and bytes that are theirs: of a file that keeps some, what is left may be shorter. */
export interface PartlyRemoved {
  exchanges: number;
  /** Of so many. */
  inAll: number;
  files: number;
  size: number;
}

/** What `removeExchanges` would remove. @throws PatchgateError `cannot-read`, `bad-recording` */
export function countExchanges(root: string, goes: Goes): PartlyRemoved {
  const removed = { exchanges: 0, inAll: 0, files: 0, size: 0 };
  for (const { kind, file, place } of walk(root)) {
    if (kind !== 'exchanges') continue;
    const exchanges = readExchanges(file, place) ?? [];
    const count = exchanges.filter(goes).length;
    removed.inAll += exchanges.length;
    if (count === 0) continue;
    removed.exchanges += count;
    removed.files++;
    removed.size += Math.round((sizeOf(file) * count) / exchanges.length);
  }
  return removed;
}

/**
 * Takes exchanges out of the files of a recording that nobody else writes to. A file is rewritten whole or not at all;
 * one without exchanges goes, and so do bodies that none names any more.
 *
 * @param onEmptied told of each folder from which a file went
 * @throws PatchgateError `cannot-read`, `cannot-write`, `bad-recording`
 */
export async function removeExchanges(
  root: string,
  goes: Goes,
  onEmptied: (folder: string) => Promise<void>,
): Promise<void> {
  const emptied: string[] = [];
  for (const { kind, file, place } of walk(root)) {
    if (kind !== 'exchanges') continue;
    const exchanges = readExchanges(file, place) ?? [];
    const kept = exchanges.filter((exchange, index) => !goes(exchange, index));
    const [first] = exchanges;
    if (first === undefined || kept.length === exchanges.length) continue;
    const written = new ExchangeFile(file, first.request, true);
    if (kept.length > 0) await written.replace(kept);
    else {
      written.remove();
      emptied.push(dirname(file));
    }
  }
  for (const folder of emptied) await onEmptied(folder);
}
