import type { IncomingMessage } from 'node:http';
import { PatchgateError } from '../errors.ts';
import { decisiveEffects } from '../guard/decisive-effects.ts';
import { splitTarget } from '../http/http.ts';
import type { Approval } from '../model/approval.ts';
import type { AuditLine, DecisionLine } from '../model/audit.ts';
import { type Effect, losesEnvironment } from '../model/effect.ts';
import type { Verdict } from '../model/finding.ts';
import type { RecordName } from '../model/record.ts';
import { LogFile } from '../recordings/log-file.ts';
import { redactText, redactUrl } from '../recordings/redact/redact.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { TroubleNotices } from '../recordings/trouble-notices.ts';
import { amount } from '../reporters/wording.ts';
import { addressOf } from './connections.ts';
import type { FinishedExchange } from './finished-exchange.ts';
import { printable } from './printable.ts';

export interface AuditOptions {
  /** Absent: the database alone keeps it. */
  file: string | undefined;
  /** Of the database. */
  outbox?: { appendAudit(at: string, text: string): void } | undefined;
  /** What passes may reach the target: not all of it is answered by a recording. */
  forwards: boolean;
  redaction: Redaction;
  /** Each line outlives a power failure. */
  isDurable: boolean;
  notice: (text: string) => void;
}

/** What the gate has found out of a request. */
interface Audited {
  record: RecordName | undefined;
  verdict: Verdict;
  /** All of them. */
  effects: readonly Effect[] | undefined;
  isApproved: boolean;
  approval: string | undefined;
  isUnguarded: boolean;
}

/** One request that is audited, on its way. */
export interface AuditEntry {
  /** The gate has let it go. */
  hasPassed: boolean;
  /** Appends its line: to be called before the client can have the whole answer. Never throws. */
  over(exchange: FinishedExchange): void;
}

/** Of lines that wait because the file cannot be written: characters in all. */
const MOST_WAITING = 1024 * 1024;

const RISKS = {
  waiting: 'Requests go on, and their lines wait in memory until the file can be written.',
  lost: 'Requests go on. More lines wait than there is room for: the oldest are lost.',
};

/** Who changed, or tried to change, what the service holds: a line for each such request, in a file, a database or both. */
export class Audit {
  /** Why lines wait, for `health`. */
  trouble: Error | undefined;
  readonly #options: AuditOptions;
  readonly #log: LogFile | undefined;
  readonly #notices: TroubleNotices<keyof typeof RISKS>;
  #waiting: string[] = [];
  #size = 0;
  #lost = 0;

  /** @throws PatchgateError `cannot-write` where the file cannot be opened */
  constructor(options: AuditOptions) {
    const { file, notice } = options;
    this.#options = options;
    this.#notices = new TroubleNotices('THE AUDIT CANNOT BE WRITTEN', RISKS, notice);
    try {
      this.#log = file === undefined ? undefined : new LogFile(file);
    } catch (error) {
      const { message, cause } = error as PatchgateError;
      throw new PatchgateError('cannot-write', `--audit: ${message}`, {
        hint: 'correct the permissions, or name another file',
        cause,
      });
    }
  }

  /** A request that was judged, or changes a guarded record. @returns undefined where there is nothing to say of it */
  entryOf(
    req: IncomingMessage,
    { record, verdict, effects = [], isApproved, approval, isUnguarded }: Audited,
  ): AuditEntry | undefined {
    if (!isApproved && !isUnguarded && !isAudited(verdict)) return undefined;
    const client = addressOf(req);
    const entry: AuditEntry = {
      hasPassed: false,
      over: (exchange) => {
        const isForwarded = entry.hasPassed && this.#options.forwards && !isOfRecording(exchange);
        const line = { client, record, verdict, effects, isApproved, approval, isUnguarded, isForwarded };
        this.#append(lineOf(exchange, line, this.#options.redaction));
      },
    };
    return entry;
  }

  /** Somebody has said yes or no. Never throws. */
  decided(approval: Approval): void {
    this.#append(decisionLineOf(approval));
  }

  close(): void {
    if (this.#waiting.length > 0) this.#flush();
    const missing = this.#lost + this.#waiting.length;
    if (missing > 0) this.#options.notice(`${amount(missing, 'line')} of the audit could not be written`);
    this.#waiting = [];
    this.#lost = 0;
    this.#log?.close();
  }

  #append(line: AuditLine | DecisionLine): void {
    const text = printable(JSON.stringify(line));
    this.#options.outbox?.appendAudit(line.time, text);
    if (!this.#log) return;
    this.#waiting.push(`${text}\n`);
    this.#size += text.length + 1;
    this.#flush();
  }

  #flush(): void {
    this.#try(() => {
      this.#log?.append(Buffer.from(this.#waiting.join('')));
      this.#waiting = [];
      this.#size = 0;
    });
  }

  #try(action: () => void): void {
    try {
      action();
      this.trouble = undefined;
      const missing =
        this.#lost === 0 ? 'nothing is missing' : `${amount(this.#lost, 'line')} of it are lost`;
      this.#notices.over(`the audit is written again: ${missing}`);
      this.#lost = 0;
    } catch (error) {
      while (this.#size > MOST_WAITING) {
        this.#size -= this.#waiting.shift()?.length as number;
        this.#lost++;
      }
      this.trouble = error as Error;
      this.#notices.trouble(this.trouble, this.#lost > 0 ? 'lost' : 'waiting');
    }
  }
}

/** What the gate stopped, what loses an environment, and what `--validation enforce` would have stopped. */
function isAudited({ outcome, findings, effects = [] }: Verdict): boolean {
  return (
    outcome === 'block' ||
    findings.some(({ severity }) => severity === 'error') ||
    effects.some(losesEnvironment)
  );
}

/** Whether a recording has answered it, or should have. */
function isOfRecording({ answeredBy, response }: FinishedExchange): boolean {
  return answeredBy === 'recording' || (answeredBy === 'gate' && response?.status === NO_RECORDING);
}

const NO_RECORDING = new PatchgateError('no-recording', '').status;
const PATH_LENGTH = 2048;
const TEXT_LENGTH = 500;

function lineOf(
  exchange: FinishedExchange,
  of: Pick<AuditLine, 'client' | 'record' | 'approval'> & {
    verdict: Verdict;
    /** All of them. */
    effects: readonly Effect[];
    isApproved: boolean;
    isUnguarded: boolean;
    isForwarded: boolean;
  },
  redaction: Redaction,
): AuditLine {
  const { verdict, record } = of;
  const { failure, session } = exchange;
  const clean = (text: string) => cut(redactText(text, redaction), TEXT_LENGTH);
  const { path, query } = splitTarget(cut(redactUrl(exchange.request.url, redaction), PATH_LENGTH));
  return {
    audit: 1,
    time: new Date(exchange.startedAt).toISOString(),
    client: of.client,
    session: session ? clean(session) : undefined,
    method: exchange.request.method,
    path,
    query: query || undefined,
    operation: verdict.operation,
    record: record && { ...record, id: clean(record.id), account: clean(record.account) },
    verdict: verdict.outcome,
    findings: verdict.findings.map(({ rule, severity, pointer, message }) => ({
      ...{ rule, severity, pointer: cut(pointer, TEXT_LENGTH), message: cut(message, TEXT_LENGTH) },
    })),
    findingsOmitted: verdict.omitted || undefined,
    ...(of.effects.length > 0 && decisiveEffects(of.effects, redaction)),
    approved: of.isApproved,
    unguarded: of.isUnguarded || undefined,
    approval: of.approval,
    forwarded: of.isForwarded,
    answeredBy: exchange.answeredBy,
    status: exchange.response?.status,
    failure: failure === undefined ? undefined : clean(failure),
    fault: exchange.fault,
  };
}

function decisionLineOf(approval: Approval): DecisionLine {
  const { id, status, decidedAt, decidedBy, reason, url, record, effects, effectsOmitted } = approval;
  const { path, query } = splitTarget(url);
  return {
    audit: 1,
    time: decidedAt ?? new Date().toISOString(),
    event: 'decision',
    approval: id,
    decision: status === 'declined' ? 'decline' : 'approve',
    by: decidedBy,
    reason,
    client: approval.client,
    session: approval.session,
    method: approval.method,
    path,
    query: query || undefined,
    operation: approval.operation,
    record,
    effects,
    effectsOmitted,
  };
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
