import type { Finding } from '../model/finding.ts';
import { redactText, redactUrl } from '../recordings/redaction/redact.ts';
import type { Redaction } from '../recordings/redaction/redaction.ts';
import type { LogFormat } from '../settings.ts';
import { printable } from './printable.ts';
import type { Seen } from './seen.ts';

export interface AccessLog {
  /** Takes one line for a request; written at the end of this turn of the event loop. */
  seen(seen: Seen): void;
  /** Writes what is left. To be called before the process ends. */
  flush(): void;
}

const FINDINGS_SHOWN = 5;
const URL_LENGTH = 2048;
const POINTER_LENGTH = 120;
const FAILURE_LENGTH = 500;

/**
 * The access log: one line per request, redacted, free of control characters, in lines for people or in JSON.
 *
 * @param write takes whole lines. What becomes of a reader that went away is its affair
 */
export function createAccessLog(
  format: LogFormat,
  redaction: Redaction,
  write: (text: string) => void,
): AccessLog {
  if (format === 'off') return { seen() {}, flush() {} };
  const line = format === 'json' ? jsonLine : textLine;
  // A write to a terminal or pipe costs more than a request: all lines of a turn go out together.
  let waiting = '';
  let timer: NodeJS.Immediate | undefined;
  const flush = () => {
    clearImmediate(timer);
    timer = undefined;
    const lines = waiting;
    waiting = '';
    if (lines !== '') write(lines);
  };
  return {
    seen(seen) {
      waiting += `${printable(line(seen, redaction))}\n`;
      timer ??= setImmediate(flush);
    },
    flush,
  };
}

/** `14:03:07 PATCH /api/v2/… 422 block updateProject gate 3ms: error schema.required /languages` */
function textLine(seen: Seen, redaction: Redaction): string {
  const { request, verdict, response } = seen;
  const judged = verdict === undefined ? 'not judged' : verdict.outcome;
  const operation = verdict?.operation === undefined ? '' : ` ${verdict.operation}`;
  let line =
    `${clock(seen.startedAt)} ${request.method} ${urlOf(seen, redaction)} ${response?.status ?? '-'} ${judged}${operation} ` +
    `${seen.answeredBy} ${Math.round(seen.durationMs)}ms`;
  if (verdict !== undefined && verdict.findings.length > 0) {
    const shown = verdict.findings.slice(0, FINDINGS_SHOWN);
    line += `: ${shown.map(named).join(', ')}`;
    const more = verdict.findings.length - shown.length + verdict.omitted;
    if (more > 0) line += ` and ${more} more`;
  }
  if (seen.fault !== undefined) line += `: fault ${cut(seen.fault, POINTER_LENGTH)}`;
  if (seen.failure !== undefined) line += `: ${failureOf(seen.failure, redaction)}`;
  return line;
}

function named({ severity, rule, pointer }: Finding): string {
  const place = pointer === '' ? '' : ` ${cut(pointer, POINTER_LENGTH)}`;
  return `${severity} ${rule}${place}`;
}

function jsonLine(seen: Seen, redaction: Redaction): string {
  const { verdict } = seen;
  return JSON.stringify({
    time: new Date(seen.startedAt).toISOString(),
    method: seen.request.method,
    url: urlOf(seen, redaction),
    status: seen.response?.status,
    verdict: verdict?.outcome ?? 'not judged',
    operation: verdict?.operation,
    findings: verdict?.findings.slice(0, FINDINGS_SHOWN).map(({ rule, severity, pointer }) => {
      return { rule, severity, pointer: cut(pointer, POINTER_LENGTH) };
    }),
    findingsInAll: verdict && verdict.findings.length + verdict.omitted,
    answeredBy: seen.answeredBy,
    durationMs: Math.round(seen.durationMs * 10) / 10,
    fault: seen.fault,
    failure: seen.failure === undefined ? undefined : failureOf(seen.failure, redaction),
  });
}

function urlOf({ request }: Seen, redaction: Redaction): string {
  return cut(redactUrl(request.url, redaction), URL_LENGTH);
}

function failureOf(failure: string, redaction: Redaction): string {
  return cut(redactText(failure, redaction), FAILURE_LENGTH);
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

let clockSecond = -1;
let clockText = '';

/** Local time, as `14:03:07`; made once a second. */
function clock(time: number): string {
  const second = Math.floor(time / 1000);
  if (second !== clockSecond) {
    clockSecond = second;
    clockText = new Date(time).toTimeString().slice(0, 8);
  }
  return clockText;
}
