import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rulesOf } from '../../app/open-recording.ts';
import type { Database } from '../../postgres/database.ts';
import { type Place, readExchanges, writeExchanges } from '../../recordings/files.ts';
import { toPlainExchange } from '../../recordings/plain-exchange.ts';
import { placesIn } from '../../recordings/store/folder-tree.ts';
import { checkRecordingName, locationOf } from '../../recordings/store/location.ts';
import { stampOf } from '../../recordings/store/write-file.ts';
import type { Config } from '../../settings/config.ts';

/**
 * Has a command for files work on recordings of the database: they stand in a folder of their own meanwhile, and what has changed there
 * is put back.
 *
 * @param work is given the folder of these recordings
 * @throws PatchgateError `recording-in-use`, `store-unavailable`
 */
export async function workOnFiles<T>(
  database: Database,
  names: readonly string[],
  config: Config,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  for (const name of names) checkRecordingName(name);
  const folder = await mkdtemp(join(tmpdir(), 'patchgate-'));
  try {
    const written = new Map<string, Written>();
    for (const name of names) await readOut(database, name, join(folder, name), config, written);
    const result = await work(folder);
    for (const name of names) await putBack(database, name, join(folder, name), written);
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A path that was written into a file. */
interface Written {
  place: Place;
  /** Of its rows. */
  ordinals: readonly string[];
  stamp: string | undefined;
}

/** @param written takes each path, by its file */
async function readOut(
  database: Database,
  name: string,
  root: string,
  config: Config,
  written: Map<string, Written>,
): Promise<void> {
  const { framesOf, placesOf } = await import('../../postgres/frames.ts');
  for (const place of await placesOf(database, name)) {
    const { ordinals, exchanges } = await framesOf(database, name, place, rulesOf(config));
    const file = join(root, locationOf(place.method, place.path));
    await writeExchanges(file, exchanges);
    written.set(file, { place, ordinals, stamp: stampOf(file) });
  }
}

async function putBack(
  database: Database,
  recording: string,
  root: string,
  written: ReadonlyMap<string, Written>,
): Promise<void> {
  const { replaceFrames } = await import('../../postgres/frames.ts');
  const put = async (file: string, place: Place, ordinals: readonly string[]) => {
    const frames = (readExchanges(file, place) ?? []).map(toPlainExchange);
    const batch = { recording, run: randomUUID(), mode: 'append' as const, first: 0 };
    await replaceFrames(database, batch, place, ordinals, frames);
  };
  for (const [file, { place, ordinals, stamp }] of written)
    if (file.startsWith(root) && stampOf(file) !== stamp) await put(file, place, ordinals);
  for (const place of placesIn(root)) {
    const file = join(root, locationOf(place.method, place.path));
    if (!written.has(file)) await put(file, place, []);
  }
}
