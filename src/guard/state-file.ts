import { basename, dirname } from 'node:path';
import { messageOf, PatchgateError } from '../errors.ts';
import type { KeptApproval } from '../model/approval.ts';
import { HIDDEN, hideFromGit, readFileIfThere, writeFileAtomically } from '../recordings/disk.ts';
import { type Lock, takeLock } from '../recordings/lock.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { checkFile, parseFile } from '../schemas/check.ts';
import { hideKept, type Kept } from './kept.ts';

/** What a gate keeps of one service for its next run. */
export interface StateData {
  /** URL of the service. */
  target?: string;
  /** By `recordKey`. */
  records: Map<string, Kept>;
  /** By id. */
  approvals: Map<string, KeptApproval>;
}

/** Milliseconds that a change which no PATCH waits for may stay in memory: each write has all records. */
const BEHIND = 5000;

/**
 * The content of a state file; undefined if there is none.
 *
 * @throws PatchgateError `cannot-read`; `bad-input` with file, line and column
 */
export function readStateFile(file: string): StateData | undefined {
  const hint = 'correct its permissions, or name another file with --state';
  const text = readFileIfThere(file, hint)?.toString();
  if (text === undefined) return undefined;
  const content = parseFile({ where: file, text }, 'bad-input', 'correct the JSON, or delete the file');
  checkFile('kept', content, { where: file, text }, 'bad-input');
  const { records, approvals, ...others } = content as Record<'records' | 'approvals', object>;
  return {
    ...others,
    records: new Map<string, Kept>(Object.entries(records)),
    approvals: new Map<string, KeptApproval>(Object.entries(approvals)),
  };
}

/** Where a gate in front of a target keeps its state: a file that is of another service stays as it is. */
export function stateFileFor(file: string, target: string): string {
  const of = readStateFile(file)?.target;
  if (of === undefined || of === target) return file;
  const place = target
    .replace(/^\w+:\/\//, '')
    .replaceAll(':', '-')
    .replaceAll('/', '%2F');
  return `${file.replace(/\.json$/, '')}-${place}.json`;
}

/** One process keeps a state file. Another one reads it at its start, and keeps what it learns in memory. */
export class StateFile {
  /** Changed in place: `now` or `later` write it. */
  readonly data: StateData;
  /** Why the file lacks what the gate knows. */
  trouble: Error | undefined;
  readonly #lock: Lock | undefined;
  /** The text of each record: most have not changed since the last write. */
  readonly #texts = new WeakMap<Kept, string>();
  #writing: Promise<void> = Promise.resolve();
  /** The write behind the one that runs. */
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @throws PatchgateError if the file is broken. A file that cannot be written is a notice */
  constructor(
    private readonly file: string,
    target: string,
    private readonly redaction: Redaction,
    private readonly notice: (text: string) => void,
  ) {
    try {
      const instead = 'give this one a file of its own with --state FILE';
      this.#lock = takeLock(`${file}.lock`, `the state file ${file}`, instead);
      if (basename(dirname(file)) === HIDDEN) hideFromGit(dirname(file));
    } catch (error) {
      this.#failed(error);
    }
    const known = readStateFile(file) ?? { records: new Map(), approvals: new Map() };
    // Without the lock, a token of the file could be used twice.
    this.data = { ...known, target, ...(!this.#lock && { approvals: new Map() }) };
  }

  /** On disk when it resolves. @throws PatchgateError `cannot-write` */
  now(): Promise<void> {
    if (!this.#lock) return Promise.resolve();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next ??= this.#writing
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#writing = this.#write();
        return this.#writing;
      });
    return this.#next;
  }

  later(): void {
    if (this.#lock) this.#timer ??= setTimeout(() => void this.now().catch(() => undefined), BEHIND).unref();
  }

  async close(): Promise<void> {
    if (this.#timer) await this.now().catch(() => undefined);
    await this.#writing.catch(() => undefined);
    this.#lock?.release();
  }

  async #write(): Promise<void> {
    try {
      const { target, records, approvals } = this.data;
      // A record is a line.
      const lines = Array.from(records, ([key, kept]) => {
        const text = this.#texts.get(kept) ?? JSON.stringify(hideKept(kept, this.redaction));
        this.#texts.set(kept, text);
        return `${JSON.stringify(key)}: ${text}`;
      });
      const others = JSON.stringify({ formatVersion: 1, target, approvals: Object.fromEntries(approvals) });
      const text = `${others.slice(0, -1)},\n"records": {\n${lines.join(',\n')}\n}}\n`;
      await writeFileAtomically(this.file, text);
      if (this.trouble) this.notice('the state file is written again: nothing is missing');
      this.trouble = undefined;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  #failed(error: unknown): void {
    const { hint = '' } = error as Partial<PatchgateError>;
    if (!this.trouble) this.notice(`${messageOf(error)}: a restart forgets what is known. ${hint}`.trim());
    this.trouble = error instanceof PatchgateError ? error : new Error(messageOf(error));
  }
}
