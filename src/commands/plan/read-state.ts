import { stat } from 'node:fs/promises';
import { journalOf, readKept } from '../../guard/kept/state-files.ts';
import type { KnownState } from '../../state/known-state.ts';

/** What there is to say of a state file beside what it holds. */
export interface ReadState {
  /** Milliseconds since the epoch. */
  writtenAt: number;
  /** URL of the service that it was learnt from. */
  target: string | undefined;
}

/**
 * Restores what a state file and the journal beside it say; a running proxy may write both meanwhile.
 *
 * @returns undefined where there is neither
 * @throws PatchgateError `cannot-read`; `bad-input` where a file is broken or has another shape
 */
export async function readState(file: string, state: KnownState): Promise<ReadState | undefined> {
  const { records, target } = readKept(file);
  const times = await Promise.all([file, journalOf(file)].map(timeOf));
  const writtenAt = Math.max(...times);
  if (writtenAt === 0) return undefined;
  for (const { name, known } of records.values()) state.restore(name, known);
  return { writtenAt, target };
}

/** 0 where it is not there. */
function timeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
