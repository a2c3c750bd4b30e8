import { join } from 'node:path';
import pLimit from 'p-limit';
import { PatchgateError } from '../errors.ts';
import { beforeAnswers } from '../http/end-of-turn.ts';
import { HIDDEN } from './disk.ts';
import { encodeFrame, type MergeMode, openJournal } from './journal.ts';
import type { PlainExchange } from './plain-exchange.ts';

export interface WriterOptions {
  mode: MergeMode;
  /** Merges all segments with lower numbers than `below`. */
  merge: (how: { run: 'goes on' | 'ends'; below: number; signal: AbortSignal }) => Promise<void>;
  /** Says in a sentence when the disk stops taking exchanges, when some are lost, and when all is well again. */
  onNotice?: ((notice: string) => void) | undefined;
  /** Milliseconds that `close` may take; the next start merges the rest. Default: as long as it takes. */
  closeWithin?: number | undefined;
  /** Bytes of the journal from which it is merged while requests come, and of frames that are kept while the disk does not take them. */
  mostBytes?: number | undefined;
}

/** Nothing has come for so long: then it is merged. Past it, people learn what `close` is doing. */
const QUIET_MS = 1000;

const IN_JOURNAL = 'Nothing is lost: it stays in the journal until its file can be written.';
const IN_MEMORY = 'New exchanges are only in memory, and lost if this process is killed.';
const NOWHERE = 'No more fits in memory: exchanges are lost from now on.';

export type Writer = ReturnType<typeof openWriter>;

/** Records into a folder: frames go to the journal before the answers of their turn go out, and from there into the files. */
export function openWriter(root: string, options: WriterOptions) {
  const { mode, onNotice = () => undefined, closeWithin, mostBytes = 64 * 1024 * 1024 } = options;
  const journal = openJournal(join(root, HIDDEN), mode, mostBytes);
  const quiet = setTimeout(() => void merge(), QUIET_MS).unref();
  const stop = new AbortController();
  /** Pieces of the frames of this turn, or since the disk stopped taking them. */
  let pieces: Buffer[] = [];
  let [waiting, bytes, recorded, lost] = [0, 0, 0, 0];
  /** Exchanges that no file has. */
  let unmerged = 0;
  let journalTrouble: Error | undefined;
  let fileTrouble: Error | undefined;
  /** The risk that was told last. */
  let told = '';
  let isClosing = false;
  const oneByOne = pLimit(1);

  // A disk that takes nothing is not tried again by each answer.
  const writeOnce = () => void (journalTrouble ?? write());

  /** All frames of this turn, and what could not be written before, in one write. */
  function write(): void {
    if (waiting === 0) return;
    try {
      if (journal.append(pieces, bytes)) void merge();
      unmerged += waiting;
      recorded += waiting;
      [pieces, waiting, bytes] = [[], 0, 0];
      journalTrouble = undefined;
    } catch (error) {
      journalTrouble = error as Error;
    }
    quiet.refresh();
    tell();
  }

  /** Never rejects. */
  const merge = () => oneByOne(mergeNow);

  async function mergeNow(): Promise<void> {
    write();
    if (unmerged === 0 && !isClosing) return;
    const count = unmerged;
    try {
      const below = journal.rotate();
      await options.merge({ run: isClosing ? 'ends' : 'goes on', below, signal: stop.signal });
      unmerged -= count;
      fileTrouble = undefined;
    } catch (error) {
      fileTrouble = error as Error;
      quiet.refresh();
    }
    tell();
  }

  /** Says when trouble begins, when the risk is another, and when it is over. */
  function tell(): void {
    const reason = troubleOfDisk();
    const risk = !reason ? '' : !journalTrouble ? IN_JOURNAL : bytes <= mostBytes ? IN_MEMORY : NOWHERE;
    if (risk === told) return;
    told = risk;
    const hint = reason instanceof PatchgateError && reason.hint ? ` (${reason.hint})` : '';
    const missing = lost > 0 ? `, but ${amountOf(lost)} not kept: record again` : ': nothing is missing';
    if (reason) onNotice(`RECORDING FAILS: ${reason.message}. ${risk}${hint}`);
    else onNotice(`recording into ${root} works again${missing}`);
  }

  function troubleOfDisk(): Error | undefined {
    if (journalTrouble || !stop.signal.aborted) return journalTrouble ?? fileTrouble;
    const hint = 'nothing is lost: start patchgate with this recording again before you commit it';
    const what = `${amountOf(unmerged)} not in the files of ${root} yet`;
    return unmerged > 0 ? new PatchgateError('interrupted', what, { hint }) : undefined;
  }

  function troubleNow(): Error | undefined {
    const missing = isClosing ? lost + waiting : lost;
    if (missing === 0) return troubleOfDisk();
    const reason = journalTrouble ? `: ${journalTrouble.message}` : '';
    const hint = 'make room on the disk or correct the permissions, then record again';
    const what = `${amountOf(missing)} not kept in ${root}${reason}`;
    return new PatchgateError('cannot-write', what, { hint, cause: journalTrouble });
  }

  /** Resolves once all is in its file, or rejects with why it is not. */
  async function flush(): Promise<void> {
    await merge();
    const trouble = troubleNow();
    if (trouble) throw trouble;
  }

  return {
    status: () => ({ recorded, waiting, unmerged, lost, takes: !journalTrouble, trouble: troubleNow() }),
    flush,

    /** @returns whether it is kept */
    append(exchange: PlainExchange): boolean {
      if (bytes > mostBytes) write();
      if (bytes > mostBytes) {
        lost++;
        tell();
        return false;
      }
      const frame = encodeFrame(exchange);
      // One that has to wait is copied: a part of a larger piece of memory would keep all of it.
      pieces.push(...(journalTrouble ? [Buffer.concat(frame)] : frame));
      for (const { length } of frame) bytes += length;
      waiting++;
      beforeAnswers(writeOnce);
      return true;
    },

    async close(): Promise<void> {
      isClosing = true;
      clearTimeout(quiet);
      const patience = setTimeout(() => {
        onNotice(`writing what was recorded last (${unmerged}) into the files of ${root} …`);
      }, QUIET_MS);
      const limit = closeWithin === undefined ? undefined : setTimeout(() => stop.abort(), closeWithin);
      await flush().finally(() => {
        clearTimeout(patience);
        clearTimeout(limit);
        journal.close();
      });
    },
  };
}

function amountOf(count: number): string {
  return count === 1 ? '1 exchange was' : `${count} exchanges were`;
}
