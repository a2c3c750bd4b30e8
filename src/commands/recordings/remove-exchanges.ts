import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Exchange } from '../../model/exchange.ts';
import { BodyFiles } from '../../recordings/files/body-files.ts';
import { ObjectEntry } from '../../recordings/files/entry.ts';
import { RecordingFile, readRecordingText } from '../../recordings/files/recording-file.ts';
import { parseRecording } from '../../recordings/store/file-format.ts';
import { type Found, sizeOf, walk } from './walk.ts';

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
export async function countExchanges(root: string, goes: Goes): Promise<PartlyRemoved> {
  const removed = { exchanges: 0, inAll: 0, files: 0, size: 0 };
  for await (const found of walk(root)) {
    if (found.kind !== 'exchanges') continue;
    const exchanges = await exchangesIn(found);
    const count = exchanges.filter(goes).length;
    removed.inAll += exchanges.length;
    if (count === 0) continue;
    removed.exchanges += count;
    removed.files++;
    removed.size += Math.round(((await sizeOf(found.file)) * count) / exchanges.length);
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
  for await (const found of walk(root)) {
    if (found.kind !== 'exchanges') continue;
    const exchanges = await exchangesIn(found);
    const kept = exchanges.filter((exchange, index) => !goes(exchange, index));
    if (kept.length === exchanges.length) continue;
    const { file } = found;
    const entries = kept.map((exchange) => new ObjectEntry(exchange));
    await new BodyFiles(file, true).keepOnly(entries, async (noted) => {
      if (kept.length > 0) await recordingFile(file, kept[0] as Exchange).write({ entries: noted });
      else await rm(file, { force: true });
    });
    if (kept.length === 0) emptied.push(dirname(file));
  }
  for (const folder of emptied) await onEmptied(folder);
}

async function exchangesIn({ file, place }: Found): Promise<readonly Exchange[]> {
  const text = await readRecordingText(file);
  return text === undefined ? [] : parseRecording(text, file, place).exchanges;
}

function recordingFile(file: string, { request: { method, path } }: Exchange): RecordingFile {
  return new RecordingFile(
    file,
    { method, path },
    { onComplete: () => undefined, onFailed: () => true, breathe: () => undefined, isDurable: true },
  );
}
