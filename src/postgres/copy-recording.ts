import { join } from 'node:path';
import { PatchgateError } from '../errors.ts';
import type { Exchange } from '../model/exchange.ts';
import { orderTimes } from '../recordings/order-times.ts';
import { ExchangeFile, type Place, readExchanges, withBodies } from '../recordings/store/exchange-file.ts';
import { placesIn } from '../recordings/store/folder-tree.ts';
import { locationOf } from '../recordings/store/location.ts';
import { stampOf } from '../recordings/store/write-file.ts';
import type { Database } from './database.ts';
import {
  type Drops,
  emptyPath,
  exchangesAt,
  type PutOptions,
  pathsIn,
  putBack,
  putIn,
  reservePlaces,
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

/** Writes paths of the database into the files of a recording, long bodies beside them. One path is in memory at a time. @param root the recording's folder */
export async function readOut(
  database: Database,
  paths: readonly StoredPath[],
  root: string,
): Promise<ReadOut[]> {
  const written: ReadOut[] = [];
  for (const path of paths) {
    const exchanges = await exchangesAt(database, path);
    const file = new ExchangeFile(join(root, locationOf(path.method, path.path)), path);
    await file.replace(exchanges);
    written.push({ path, file: file.name, stamp: stampOf(file.name) });
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
    if (stampOf(file) !== stamp) await putBack(database, path, inlineExchanges(file, path), options);
}

/**
 * Puts the files of a recording into the database.
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
  }));
  const long = files.find(({ path }) => Buffer.byteLength(path.path) > LONGEST_PATH);
  if (long)
    throw new PatchgateError(
      'bad-usage',
      `a path of more than ${LONGEST_PATH} bytes has no place in the database: ${long.file}`,
      {
        hint: 'remove what is recorded there: patchgate recordings remove NAME --path',
      },
    );
  const { count, placesOf } = await placesByTime(database, files);
  for (const { path, file } of files) {
    const put = { exchanges: inlineExchanges(file, path), places: placesOf.get(file) ?? [] };
    await putIn(database, path, put, options, drops);
  }
  const here = new Set(files.map(({ path }) => `${path.method} ${path.path}`));
  for (const path of drops === 'all' ? await pathsIn(database, recording) : [])
    if (!here.has(`${path.method} ${path.path}`)) await emptyPath(database, path);
  return count;
}

/** What came first has the first place, in whichever file it is. */
async function placesByTime(database: Database, files: readonly { path: Place; file: string }[]) {
  const all = files.flatMap(({ path, file }) => {
    const timeOf = orderTimes();
    return (readExchanges(file, path) ?? []).map((exchange) => ({ file, time: timeOf(exchange) }));
  });
  const reserved = await reservePlaces(database, all.length);
  const placesOf = new Map<string, number[]>();
  for (const [i, { file }] of all.sort((a, b) => a.time - b.time).entries()) {
    const places = placesOf.get(file) ?? [];
    places.push(reserved[i] as number);
    placesOf.set(file, places);
  }
  return { count: all.length, placesOf };
}

/** Removes the files of a recording that were not written. */
export function removeOthers(root: string, written: readonly ReadOut[]): void {
  const kept = new Set(written.map(({ file }) => file));
  for (const place of placesIn(root)) {
    const file = new ExchangeFile(join(root, locationOf(place.method, place.path)), place);
    if (!kept.has(file.name)) file.remove();
  }
}

/** Of a file, with the bodies beside it; none where it is gone. */
function inlineExchanges(file: string, place: Place): Exchange[] {
  return (readExchanges(file, place) ?? []).map((exchange) => withBodies(exchange, file));
}
