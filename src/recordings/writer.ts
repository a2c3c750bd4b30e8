import { join } from 'node:path';
import { PatchgateError } from '../errors.ts';
import { beforeAnswers } from '../http/end-of-turn.ts';
import { HIDDEN } from './disk.ts';
import { encodeFrame, Journal, type MergeMode } from './journal.ts';
import type { PlainExchange } from './plain-exchange.ts';

export interface WriterOptions {
  mode: MergeMode;
  /** Merges all segments. */
  merge: (how: { ends: boolean; signal: AbortSignal }) => Promise<void>;
  /** Says in a sentence when the disk stops taking exchanges, when some are lost, and when all is well again. */
  onNotice?: ((notice: string) => void) | undefined;
  /** Milliseconds that `close` may take; the next start merges the rest. Default: as long as it takes. */
  closeWithin?: number | undefined;
  /** Bytes of the journal from which it is merged while requests come, and of frames that are kept while the disk does not take them. */
  mostBytes?: number | undefined;
}

/** Nothing has come for so long: then it is merged. */
const QUIET_MS = 1000;
/** Past this, people learn what `close` is doing. */
const PATIENCE_MS = 1000;

/** By how bad it is, from 1. */
const RISKS = [
  '',
  'Nothing is lost: it stays in the journal, and gets into its file as soon as that can be written, at the next start at the latest.',
  'New exchanges are only in memory, and lost if this process is killed.',
  'No more fits in memory: exchanges are lost from now on.',
];

export type Writer = ReturnType<typeof openWriter>;

/** Records into a folder: frames go to the journal before the answers of their turn go out, and from there into the files. */
export function openWriter(root: string, options: WriterOptions) {
  const { mode, onNotice, closeWithin, mostBytes = 64 * 1024 * 1024 } = options;
  const journal = new Journal(join(root, HIDDEN), mode);
  const quiet = setTimeout(() => void merge(), QUIET_MS).unref();
  const stop = new AbortController();
  /** Frames of this turn, or since the disk stopped taking them. */
  let frames: Buffer[] = [];
  let bytes = 0;
  let recorded = 0;
  /** Exchanges that no file has. */
  let unmerged = 0;
  let lost = 0;
  let journalTrouble: Error | undefined;
  let fileTrouble: Error | undefined;
  /** The worst risk that was told. */
  let told = 0;
  /** The last merge that was asked for. */
  let merging: Promise<void> = Promise.resolve();
  let isMerging = false;
  let isClosing = false;

  // A disk that takes nothing is not tried again by each answer.
  const writeOnce = () => {
    if (journalTrouble === undefined) write();
  };

  /** All frames of this turn, and what could not be written before, in one write. */
  function write(): void {
    const count = frames.length;
    if (count === 0) return;
    try {
      journal.append(frames);
      frames = [];
      bytes = 0;
      unmerged += count;
      recorded += count;
      journalTrouble = undefined;
    } catch (error) {
      journalTrouble = error as Error;
    }
    if (!isClosing) quiet.refresh();
    if (journal.size > mostBytes) cut();
    tell();
  }

  /** Makes a segment of the journal. It is read whole: while one is merged, the next must not grow without end. */
  function cut(): void {
    try {
      journal.rotate();
    } catch (error) {
      fileTrouble = error as Error;
    }
    if (!isMerging) void merge();
  }

  /** One after the other. Never rejects. */
  function merge(): Promise<void> {
    merging = merging.then(mergeNow);
    return merging;
  }

  async function mergeNow(): Promise<void> {
    write();
    if (stop.signal.aborted || (unmerged === 0 && !isClosing)) return;
    isMerging = true;
    const count = unmerged;
    try {
      journal.rotate();
      await options.merge({ ends: isClosing, signal: stop.signal });
      unmerged -= count;
      fileTrouble = undefined;
    } catch (error) {
      fileTrouble = error as Error;
      if (!isClosing) quiet.refresh();
    }
    isMerging = false;
    tell();
  }

  /** Says when trouble begins, when it becomes worse, and when it is over: once each. */
  function tell(): void {
    const reason = journalTrouble ?? fileTrouble;
    const level = reason === undefined ? 0 : bytes > mostBytes ? 3 : journalTrouble ? 2 : 1;
    if (level === 0 ? told === 0 : level <= told) return;
    told = level;
    const hint = reason instanceof PatchgateError && reason.hint ? ` (${reason.hint})` : '';
    const missing = lost > 0 ? `, but ${amountOf(lost)} not kept: record again` : ': nothing is missing';
    onNotice?.(
      reason
        ? `RECORDING FAILS: ${reason.message}. ${RISKS[level]}${hint}`
        : `recording into ${root} works again${missing}`,
    );
  }

  function troubleNow(count = lost): Error | undefined {
    if (count === 0) return journalTrouble ?? fileTrouble;
    const reason = journalTrouble ? `: ${journalTrouble.message}` : '';
    return new PatchgateError('cannot-write', `${amountOf(count)} not kept in ${root}${reason}`, {
      hint: 'make room on the disk or correct the permissions, then record again',
      cause: journalTrouble,
    });
  }

  return {
    mode,
    /** Exchanges that are in the journal alone. */
    get unmerged() {
      return unmerged;
    },
    get counts() {
      return { recorded, waiting: frames.length, lost };
    },
    get takesExchanges() {
      return journalTrouble === undefined;
    },
    get trouble() {
      return troubleNow();
    },

    /** @returns whether it is kept */
    append(exchange: PlainExchange): boolean {
      if (bytes > mostBytes) write();
      if (bytes > mostBytes) {
        lost++;
        tell();
        return false;
      }
      const frame = encodeFrame(exchange);
      frames.push(frame);
      bytes += frame.length;
      beforeAnswers(writeOnce);
      return true;
    },

    /** Resolves once all is in its file, or rejects with why it is not. */
    async flush(): Promise<void> {
      await merge();
      const trouble = troubleNow();
      if (trouble && lost + frames.length + unmerged > 0) throw trouble;
    },

    /** @throws PatchgateError if something is not in its file */
    async close(): Promise<void> {
      isClosing = true;
      clearTimeout(quiet);
      const patience = setTimeout(() => {
        onNotice?.(`writing what was recorded last (${unmerged}) into the files of ${root} …`);
      }, PATIENCE_MS);
      const limit = closeWithin === undefined ? undefined : setTimeout(() => stop.abort(), closeWithin);
      await merge();
      clearTimeout(patience);
      clearTimeout(limit);
      journal.close();
      const missing = lost + frames.length;
      if (missing === 0 && stop.signal.aborted && unmerged > 0) {
        const what = `${amountOf(unmerged)} not in the files of ${root} yet`;
        const hint = 'nothing is lost: start patchgate with this recording again before you commit it';
        throw new PatchgateError('interrupted', what, { hint });
      }
      const trouble = troubleNow(missing);
      if (trouble) throw trouble;
    },
  };
}

function amountOf(count: number): string {
  return count === 1 ? '1 exchange was' : `${count} exchanges were`;
}
