import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';
import type { Exchange } from '../model/exchange.ts';
import { isObject, type JsonValue } from '../model/json.ts';
import { HIDDEN, hideFromGit } from './files/hidden-folder.ts';

/** What the last run that replayed a recording served of it. */
export interface LastRun {
  formatVersion: 1;
  /** ISO 8601, UTC. What was recorded since was not there to be served. */
  startedAt?: string;
  endedAt: string;
  served: ServedPath[];
  /** More was served than a run keeps track of: of what is not listed nobody knows. */
  isCut?: true;
}

/** Of one file of the recording. */
export interface ServedPath {
  method: string;
  path: string;
  /** Places of exchanges in the file's order, from 0; ascending. */
  indexes: number[];
}

/** In the hidden folder. */
export const LAST_RUN = 'last-run.json';

/**
 * @param root the recording's folder
 * @returns undefined where no run has left anything that can be read: it is only a hint
 */
export async function readLastRun(root: string): Promise<LastRun | undefined> {
  try {
    const value = JSON.parse(await readFile(join(root, HIDDEN, LAST_RUN), 'utf8')) as JsonValue;
    return isLastRun(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Tells which exchanges were there and were not served, by their places in their files. */
export function neverServedIn({
  startedAt,
  served,
}: LastRun): (exchange: Exchange, index: number) => boolean {
  const since = startedAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(startedAt);
  const indexes = new Map(served.map((one) => [`${one.method} ${one.path}`, new Set(one.indexes)]));
  return ({ request, meta }, index) =>
    !indexes.get(`${request.method} ${request.path}`)?.has(index) && !(Date.parse(meta.recordedAt) >= since);
}

/** Writes what `readLastRun` reads. Where that cannot be done, because the folder may only be read, nothing is said. */
export async function writeLastRun(root: string, run: LastRun): Promise<void> {
  let temporary: string | undefined;
  try {
    const folder = join(root, HIDDEN);
    await makeFolder(folder);
    hideFromGit(folder);
    temporary = join(folder, `${LAST_RUN}.${randomUUID()}`);
    await writeFile(temporary, `${JSON.stringify(run)}\n`, { flag: 'wx' });
    await rename(temporary, join(folder, LAST_RUN));
  } catch {
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** A recording that is not there is not begun by this. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

function isLastRun(value: JsonValue): value is JsonValue & LastRun {
  if (!isObject(value) || value.formatVersion !== 1 || typeof value.endedAt !== 'string') return false;
  if (value.startedAt !== undefined && typeof value.startedAt !== 'string') return false;
  return Array.isArray(value.served) && value.served.every(isServedPath);
}

function isServedPath(value: JsonValue): boolean {
  return (
    isObject(value) &&
    typeof value.method === 'string' &&
    typeof value.path === 'string' &&
    Array.isArray(value.indexes) &&
    value.indexes.every(Number.isInteger)
  );
}
