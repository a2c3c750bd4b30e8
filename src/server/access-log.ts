import { losesEnvironment } from '../model/effect.ts';
import type { Finding, Verdict } from '../model/finding.ts';
import { redactText, redactUrl } from '../recordings/redact/redact.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { coloured, type Paint, plain, SEVERITY_COLOURS } from '../reporters/colours.ts';
import type { Config } from '../settings/config.ts';
import { type FinishedExchange, isOwnFailure } from './finished-exchange.ts';
import { printable } from './printable.ts';

interface AccessLog {
  /** Takes one line for a request; written at the end of this turn of the event loop. */
  finished(exchange: FinishedExchange): void;
  /** Writes what is left. To be called before the process ends. */
  flush(): void;
}

const FINDINGS_SHOWN = 5;
const NAMES_SHOWN = 5;
const URL_LENGTH = 2048;
const POINTER_LENGTH = 120;
const NAME_LENGTH = 60;
const FAILURE_LENGTH = 500;

/**
 * The access log: one line per request, redacted, free of control characters, in lines for people or in JSON.
 *
 * @param write takes whole lines. What becomes of a reader that went away is its affair
 * @param isColoured whether lines for people go to a terminal
 */
export function createAccessLog(
  format: Config['log'],
  redaction: Redaction,
  write: (text: string) => void,
  isColoured = false,
): AccessLog {
  if (format === 'off') return { finished() {}, flush() {} };
  const paint = isColoured ? coloured : plain;
  const line = (exchange: FinishedExchange) =>
    format === 'json' ? printable(jsonLine(exchange, redaction)) : textLine(exchange, redaction, paint);
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
    finished(exchange) {
      waiting += `${line(exchange)}\n`;
      timer ??= setImmediate(flush);
    },
    flush,
  };
}

/** `14:03:07 PATCH /api/v2/… 409 block updateProject gate 3ms: deletes environment 2 (Staging): error project.environment-deleted …` */
function textLine(exchange: FinishedExchange, redaction: Redaction, paint: Paint): string {
  const { request, verdict, response } = exchange;
  const outcome = outcomeOf(exchange);
  const mark = exchange.unguarded ? ` ${paint('red', 'UNGUARDED')}` : '';
  const judged =
    outcome === 'not judged' ? outcome : paint(outcome === 'pass' ? 'green' : 'red', outcome) + mark;
  const operation = verdict?.operation === undefined ? '' : printable(` ${verdict.operation}`);
  let line =
    `${paint('grey', clock(exchange.startedAt))} ${printable(`${request.method} ${urlOf(exchange, redaction)}`)} ` +
    `${response?.status ?? '-'} ${judged}${operation} ${exchange.answeredBy} ${Math.round(exchange.durationMs)}ms`;
  if (verdict !== undefined) line += lostText(verdict, paint) + findingsText(verdict, paint);
  if (exchange.fault !== undefined) line += printable(`: fault ${cut(exchange.fault, POINTER_LENGTH)}`);
  if (exchange.failure !== undefined) line += printable(`: ${failureOf(exchange.failure, redaction)}`);
  return line;
}

/** `: deletes environment 2 (Staging), 3 (QA) and 4 more` */
function lostText({ effects = [] }: Verdict, paint: Paint): string {
  const lost = effects.filter(losesEnvironment);
  if (lost.length === 0) return '';
  const names = lost.slice(0, NAMES_SHOWN).map(({ id, name }) => `${id} (${cut(name, NAME_LENGTH)})`);
  const more = lost.length > names.length ? ` and ${lost.length - names.length} more` : '';
  return `: ${paint('red', printable(`deletes environment ${names.join(', ')}${more}`))}`;
}

function findingsText({ findings, omitted }: Verdict, paint: Paint): string {
  if (findings.length === 0) return '';
  const shown = worstOf(findings).map(({ severity, rule, pointer }) => {
    const place = pointer === '' ? '' : ` ${cut(pointer, POINTER_LENGTH)}`;
    return `${paint(SEVERITY_COLOURS[severity], severity)} ${printable(rule + place)}`;
  });
  const more = findings.length - shown.length + omitted;
  return `: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What is lost for good comes before what is wrong, and that before what only may be. */
function worstOf(findings: readonly Finding[]): Finding[] {
  const rank = ({ rule, severity }: Finding) => (LOSING.has(rule) ? 0 : severity === 'error' ? 1 : 2);
  return findings.toSorted((a, b) => rank(a) - rank(b)).slice(0, FINDINGS_SHOWN);
}

const LOSING = new Set(['project.environment-deleted', 'project.environment-replaced', 'project.empty-list']);

function jsonLine(exchange: FinishedExchange, redaction: Redaction): string {
  const { verdict } = exchange;
  return JSON.stringify({
    time: new Date(exchange.startedAt).toISOString(),
    method: exchange.request.method,
    url: urlOf(exchange, redaction),
    status: exchange.response?.status,
    verdict: outcomeOf(exchange),
    unguarded: exchange.unguarded,
    operation: verdict?.operation,
    lost: verdict?.effects
      ?.filter(losesEnvironment)
      .slice(0, NAMES_SHOWN)
      .map(({ id, name }) => ({ id, name: cut(name, NAME_LENGTH) })),
    findings:
      verdict &&
      worstOf(verdict.findings).map(({ rule, severity, pointer }) => {
        return { rule, severity, pointer: cut(pointer, POINTER_LENGTH) };
      }),
    findingsInAll: verdict && verdict.findings.length + verdict.omitted,
    answeredBy: exchange.answeredBy,
    durationMs: Math.round(exchange.durationMs * 10) / 10,
    fault: exchange.fault,
    failure: exchange.failure === undefined ? undefined : failureOf(exchange.failure, redaction),
  });
}

function outcomeOf(exchange: FinishedExchange): 'pass' | 'block' | 'error' | 'not judged' {
  return isOwnFailure(exchange) ? 'error' : (exchange.verdict?.outcome ?? 'not judged');
}

function urlOf({ request }: FinishedExchange, redaction: Redaction): string {
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
