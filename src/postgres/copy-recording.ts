import { join } from 'node:path';
import { PatchgateError } from '../errors.ts';
import { readExchanges, writeExchanges } from '../recordings/files.ts';
import { orderTimes } from '../recordings/order-times.ts';
import { placesIn } from '../recordings/store/folder-tree.ts';
import { checkRecordingName, locationOf } from '../recordings/store/location.ts';
import { stampOf } from '../recordings/store/write-file.ts';
import type { Database } from './database.ts';
import {
  type Drops,
  type PutOptions,
  putBack,
  putIn,
  reservePlaces,
  rowsAt,
  type StoredPath,
} from './stored-paths.ts';
import { LONGEST_PATH } from './tables.ts';

/** A path of the database that stands in a file. */
interface ReadOut {
  path: StoredPath;
  file: string;
  /** Of the file as it was written. */
  stamp: string | undefined;
}

/**
 * Writes paths of the database into files, long bodies beside them. One path is in memory at a time.
 *
 * @param folder that of all recordings
 * @throws PatchgateError `bad-usage` where the name of a recording is that of no folder
 */
export async function readOut(
  database: Database,
  paths: readonly StoredPath[],
  folder: string,
): Promise<ReadOut[]> {
  for (const { recording } of paths) checkRecordingName(recording);
  const written: ReadOut[] = [];
  for (const path of paths) {
    const rows = await rowsAt(database, path);
    const name = join(folder, path.recording, locationOf(path.method, path.path));
    await writeExchanges(
      name,
      rows.map(({ exchange }) => exchange),
    );
    written.push({ path, file: name, stamp: stampOf(name) });
  }
  return written;
}

/** Puts back what has changed in the files since. @throws PatchgateError `recording-in-use` */
export async function putChanged(
  database: Database,
  written: readonly ReadOut[],
  options: PutOptions,
): Promise<void> {
  for (const { path, file, stamp } of written)
    if (stampOf(file) !== stamp) await putBack(database, path, readExchanges(file, path) ?? [], options);
}

/**
 * Puts the files of a recording into the database. What came first has the first place, in whichever file it is.
 *
 * @param root the recording's folder
 * @param drops what goes for it in the database
 * @returns the number of exchanges
 * @throws PatchgateError `bad-usage` where a path is too long for the database, before anything is put in
 */
export async function putFilesIn(
  database: Database,
  recording: string,
  root: string,
  options: PutOptions & { drops: Drops },
): Promise<number> {
  const { drops } = options;
  const files = [...placesIn(root)].map(({ method, path }) => ({
    path: { recording, method, path },
    file: join(root, locationOf(method, path)),
    places: [] as number[],
  }));
  const long = files.find(({ path }) => Buffer.byteLength(path.path) > LONGEST_PATH);
  if (long)
    throw new PatchgateError(
      'bad-usage',
      `a path of more than ${LONGEST_PATH} bytes has no place in the database: ${long.file}`,
      { hint: 'remove what is recorded there: patchgate recordings prune NAME --path' },
    );
  const all = files.flatMap(({ path, file, places }) => {
    const timeOf = orderTimes();
    return (readExchanges(file, path) ?? []).map((exchange) => ({ places, time: timeOf(exchange) }));
  });
  const reserved = await reservePlaces(database, all.length);
  for (const [i, { places }] of all.sort((a, b) => a.time - b.time).entries())
    places.push(reserved[i] as number);
  for (const { path, file, places } of files)
    await putIn(database, path, { exchanges: readExchanges(file, path) ?? [], places }, options, drops);
  return all.length;
}
