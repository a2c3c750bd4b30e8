import { appendFileSync, closeSync, fstatSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, PatchgateError } from '../errors.ts';
import { decisiveEffects } from '../guard/decisive-effects.ts';
import { splitTarget } from '../http/http.ts';
import type { Approval } from '../model/approval.ts';
import type { AuditLine, DecisionLine } from '../model/audit.ts';
import { losesEnvironment } from '../model/effect.ts';
import type { Verdict } from '../model/finding.ts';
import { redactText, redactUrl } from '../recordings/redact/redact.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { amount, shortened } from '../reporters/wording.ts';
import type { Audited, FinishedExchange } from './finished-exchange.ts';
import { printable } from './printable.ts';

export interface AuditOptions {
  /** Absent: the database alone keeps it. */
  file: string | undefined;
  /** Of the database. */
  outbox?: { appendAudit(at: string, text: string): void } | undefined;
  /** What passes may reach the target: not all of it is answered by a recording. */
  forwards: boolean;
  redaction: Redaction;
  notice: (text: string) => void;
}

/** Of lines that wait because the file cannot be written: characters in all. */
const MOST_WAITING = 1024 * 1024;
const PATH_LENGTH = 2048;
const TEXT_LENGTH = 500;

/** Who changed, or tried to change, what the service holds: a line for each such request, in a file, a database or both. */
export class Audit {
  /** Why lines wait, for `health`. */
  trouble: Error | undefined;
  readonly #options: AuditOptions;
  #waiting: string[] = [];
  #lost = 0;

  /** @throws PatchgateError `cannot-write` where the file cannot be opened */
  constructor(options: AuditOptions) {
    this.#options = options;
    if (options.file === undefined) return;
    try {
      mkdirSync(dirname(options.file), { recursive: true });
      appendWhole(options.file, '');
    } catch (error) {
      throw new PatchgateError('cannot-write', `--audit: cannot write ${options.file}: ${messageOf(error)}`, {
        hint: 'correct the permissions, or name another file',
        cause: error,
      });
    }
  }

  /** A request is over: to be called before the client can have the whole answer. Never throws. */
  finished(exchange: FinishedExchange): void {
    const { audited, verdict, unguarded } = exchange;
    if (!audited || !verdict || !(audited.isApproved || unguarded || isWorthALine(verdict))) return;
    const { forwards, redaction } = this.#options;
    const isForwarded = forwards && audited.hasPassed === true && !isOfRecording(exchange);
    this.#append(lineOf(exchange, verdict, audited, isForwarded, redaction));
  }

  /** Somebody has said yes or no. Never throws. */
  decided({ decidedAt, status, decidedBy, url, ...approval }: Approval): void {
    const { path, query } = splitTarget(url);
    const { id, client, session, method, operation, record, effects, effectsOmitted, reason } = approval;
    this.#append({
      audit: 1,
      time: decidedAt ?? new Date().toISOString(),
      event: 'decision',
      approval: id,
      decision: status === 'declined' ? 'decline' : 'approve',
      by: decidedBy,
      ...{ reason, client, session, method, path, query: query || undefined, operation, record },
      ...{ effects, effectsOmitted },
    });
  }

  close(): void {
    if (this.#waiting.length > 0) this.#flush();
    const missing = this.#lost + this.#waiting.length;
    if (missing > 0) this.#options.notice(`${amount(missing, 'line')} of the audit could not be written`);
    this.#waiting = [];
  }

  #append(line: AuditLine | DecisionLine): void {
    const text = printable(JSON.stringify(line));
    this.#options.outbox?.appendAudit(line.time, text);
    if (this.#options.file === undefined) return;
    this.#waiting.push(`${text}\n`);
    this.#flush();
  }

  #flush(): void {
    const { file = '', notice } = this.#options;
    try {
      appendWhole(file, this.#waiting.join(''));
      this.#waiting = [];
      if (this.trouble)
        notice(
          `the audit is written again: ${this.#lost === 0 ? 'nothing is missing' : `${amount(this.#lost, 'line')} of it are lost`}`,
        );
      this.trouble = undefined;
      this.#lost = 0;
    } catch (error) {
      while (this.#waiting.join('').length > MOST_WAITING && this.#waiting.shift()) this.#lost++;
      const message = `cannot write ${file}: ${messageOf(error)}`;
      if (!this.trouble)
        notice(
          `THE AUDIT CANNOT BE WRITTEN: ${message}. Requests go on, and the last lines wait in memory, 1 MiB at most, until the file can be written.`,
        );
      this.trouble = new PatchgateError('cannot-write', message);
    }
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

/** What the gate stopped, what loses an environment, and what `--validation enforce` would have stopped. */
function isWorthALine({ outcome, findings, effects = [] }: Verdict): boolean {
  return (
    outcome === 'block' ||
    findings.some(({ severity }) => severity === 'error') ||
    effects.some(losesEnvironment)
  );
}

/** Whether a recording has answered it, or should have. */
function isOfRecording({ answeredBy, response }: FinishedExchange): boolean {
  return answeredBy === 'recording' || (answeredBy === 'gate' && response?.status === 501);
}

function lineOf(
  exchange: FinishedExchange,
  verdict: Verdict,
  { client, record, effects = [], isApproved = false, approval }: Audited,
  forwarded: boolean,
  redaction: Redaction,
): AuditLine {
  const clean = (text: string) => shortened(redactText(text, redaction), TEXT_LENGTH);
  const { path, query } = splitTarget(shortened(redactUrl(exchange.request.url, redaction), PATH_LENGTH));
  return {
    audit: 1,
    time: new Date(exchange.startedAt).toISOString(),
    client,
    session: exchange.session ? clean(exchange.session) : undefined,
    method: exchange.request.method,
    path,
    query: query || undefined,
    operation: verdict.operation,
    record: record && { ...record, id: clean(record.id), account: clean(record.account) },
    verdict: verdict.outcome,
    findings: verdict.findings.map(({ rule, severity, pointer, message }) => {
      const [place, text] = [pointer, message].map((long) => shortened(long, TEXT_LENGTH));
      return { rule, severity, pointer: place as string, message: text as string };
    }),
    findingsOmitted: verdict.omitted || undefined,
    ...(effects.length > 0 && decisiveEffects(effects, redaction)),
    ...{ approved: isApproved, unguarded: exchange.unguarded, approval, forwarded },
    answeredBy: exchange.answeredBy,
    status: exchange.response?.status,
    failure: exchange.failure === undefined ? undefined : clean(exchange.failure),
    fault: exchange.fault,
  };
}
