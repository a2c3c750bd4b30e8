import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import type { Exchange } from '../../model/exchange.ts';
import { exchangeText } from '../store/file-format.ts';
import { bodyFilesOf, separateBodies } from '../store/separate-bodies.ts';
import type { ListedFile } from './list-files.ts';
import { RecordingFile } from './recording-file.ts';

/**
 * Gives a file of a recording that nobody else writes to other exchanges. New bodies first, then the file, whole or not at all,
 * then the bodies that it no longer has: whatever breaks in between, nothing is lost.
 *
 * @param before all exchanges of the file
 * @param after those that it is to have; long bodies may stand with them
 * @throws PatchgateError `cannot-write`
 */
export async function replaceExchanges(
  file: string,
  place: ListedFile['place'],
  before: readonly Exchange[],
  after: readonly Exchange[],
): Promise<void> {
  await removeRemains(file);
  const bodies = new Map<string, Buffer>();
  const exchanges = after.map((exchange) =>
    separateBodies(exchange, (name, bytes) => bodies.set(name, bytes)),
  );
  const kept = new Set(exchanges.flatMap(bodyFilesOf));
  const old = new Set(before.flatMap(bodyFilesOf));
  for (const [name, bytes] of bodies) if (!old.has(name)) await writeBody(join(dirname(file), name), bytes);
  const target = new RecordingFile(file, place, {
    onComplete: () => undefined,
    onFailed: () => true,
    breathe: () => undefined,
    isDurable: true,
  });
  await target.write({ entries: exchanges.map((exchange) => ({ text: exchangeText(exchange) })) });
  for (const name of old) if (!kept.has(name)) await rm(join(dirname(file), name), { force: true });
}

/** What a write that was killed has left. */
async function removeRemains(file: string): Promise<void> {
  const folder = dirname(file);
  const remains = (await readdir(folder)).filter(
    (name) => name.startsWith(`.${basename(file)}.`) && name.endsWith('.tmp'),
  );
  for (const name of remains) await rm(join(folder, name), { force: true });
}

async function writeBody(file: string, bytes: Buffer): Promise<void> {
  try {
    await writeFile(file, bytes, { flag: 'wx', flush: true });
  } catch (error) {
    // The name is the hash of what it holds.
    if (systemCode(error) === 'EEXIST') return;
    throw new PatchgateError('cannot-write', `cannot write ${file}: ${messageOf(error)}`, {
      hint: 'make room or correct the permissions, and try again',
      cause: error,
    });
  }
}
