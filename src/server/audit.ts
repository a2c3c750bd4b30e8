import { appendFileSync, closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, PatchgateError } from '../errors.ts';
import { splitTarget } from '../http/http.ts';
import type { Approval } from '../model/approval.ts';
import { losesEnvironment } from '../model/effect.ts';
import { cannotWrite, makeFolders } from '../recordings/disk.ts';
import { amount } from '../reporters/wording.ts';
import type { EntryOf } from './entry.ts';
import type { FinishedExchange } from './exchange.ts';
import { printable } from './printable.ts';

interface AuditOptions {
  /** Absent: the database alone keeps it. */
  file: string | undefined;
  outbox?: { appendAudit(at: string, text: string): void } | undefined;
  entryOf: EntryOf;
  notice: (text: string) => void;
}

/** Characters of the lines that wait because the file cannot be written. */
const MOST_WAITING = 1024 * 1024;

/** Who changed, or tried to change, what the service holds: a line for each such request, in a file, a database or both. */
export class Audit {
  /** Why lines wait, for `health`. */
  trouble: Error | undefined;
  #waiting: string[] = [];
  #lost = 0;

  /** @throws PatchgateError `cannot-write` if the file cannot be opened */
  constructor(private readonly options: AuditOptions) {
    const { file } = options;
    if (file === undefined) return;
    try {
      makeFolders(dirname(file));
      appendWhole(file, '');
    } catch (cause) {
      throw cannotWrite(file, cause, 'correct the permissions, or name another file with --audit');
    }
  }

  /** A request is over: to be called before the client can have the whole answer. Never throws. */
  finished(exchange: FinishedExchange): void {
    const { verdict, isApproved, unguarded } = exchange;
    if (!verdict) return;
    // What the gate stopped, and what `--validation enforce` would have stopped.
    const isBad =
      verdict.outcome === 'block' || verdict.findings.some(({ severity }) => severity === 'error');
    if (isBad || isApproved || unguarded || verdict.effects?.some(losesEnvironment))
      this.#append({ audit: 1, ...this.options.entryOf(exchange) });
  }

  /** Somebody has said yes or no. Never throws. */
  decided(approval: Approval): void {
    const { path, query } = splitTarget(approval.url);
    const { id, client, session, method, operation, record, effects, effectsOmitted, reason } = approval;
    this.#append({
      audit: 1,
      time: approval.decidedAt ?? new Date().toISOString(),
      event: 'decision',
      approval: id,
      decision: approval.status === 'declined' ? 'decline' : 'approve',
      by: approval.decidedBy,
      ...{ reason, client, session, method, path, query: query || undefined, operation, record },
      ...{ effects, effectsOmitted },
    });
  }

  close(): void {
    if (this.#waiting.length > 0) this.#flush();
    const missing = this.#lost + this.#waiting.length;
    if (missing > 0) this.options.notice(`${amount(missing, 'line')} of the audit could not be written`);
  }

  /** @param line `audit` is the version of the format. docs/reference/formats.md */
  #append(line: { audit: 1; time: string; [member: string]: unknown }): void {
    const text = printable(JSON.stringify(line));
    this.options.outbox?.appendAudit(line.time, text);
    if (this.options.file === undefined) return;
    this.#waiting.push(`${text}\n`);
    this.#flush();
  }

  #flush(): void {
    const { file = '', notice } = this.options;
    try {
      appendWhole(file, this.#waiting.join(''));
    } catch (error) {
      while (this.#waiting.join('').length > MOST_WAITING && this.#waiting.shift()) this.#lost++;
      const message = `cannot write ${file}: ${messageOf(error)}`;
      const waits =
        'Requests go on, and the last lines wait in memory, 1 MiB at most, until the file can be written.';
      if (!this.trouble) notice(`THE AUDIT CANNOT BE WRITTEN: ${message}. ${waits}`);
      this.trouble = new PatchgateError('cannot-write', message);
      return;
    }
    this.#waiting = [];
    if (!this.trouble) return;
    const missing = this.#lost === 0 ? 'nothing is missing' : `${amount(this.#lost, 'line')} of it are lost`;
    notice(`the audit is written again: ${missing}`);
    this.trouble = undefined;
    this.#lost = 0;
  }
}

/** All of it, or nothing. The file may have been moved away. */
function appendWhole(file: string, text: string): void {
  const fd = openSync(file, 'a');
  const { size } = fstatSync(fd);
  try {
    appendFileSync(fd, text);
  } catch (error) {
    ftruncateSync(fd, size);
    throw error;
  } finally {
    closeSync(fd);
  }
}
