import { type LosingEffect, losesEnvironment } from '../model/effect.ts';
import type { Finding } from '../model/finding.ts';
import { redactText, redactUrl } from '../recordings/redact/redact.ts';
import { redactEffect } from '../recordings/redact/redact-finding.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { coloured, type Paint, plain, SEVERITY_COLOURS } from '../reporters/colours.ts';
import { shortened } from '../reporters/wording.ts';
import type { Config } from '../settings/config.ts';
import { type FinishedExchange, isOwnFailure } from './finished-exchange.ts';
import { printable } from './printable.ts';

export interface AccessLog {
  /** Takes one line for a request; written at the end of this turn of the event loop. */
  finished(exchange: FinishedExchange): void;
  /** Writes what is left. To be called before the process ends. */
  flush(): void;
}

/** Findings, and names of what is lost. */
const MOST_SHOWN = 5;
const URL_LENGTH = 2048;
const TEXT_LENGTH = 500;
const NAME_LENGTH = 120;

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
      const entry = entryOf(exchange, redaction);
      const time = new Date(exchange.startedAt);
      waiting +=
        format === 'json'
          ? `${printable(JSON.stringify({ time: time.toISOString(), ...entry }))}\n`
          : `${paint('grey', time.toTimeString().slice(0, 8))} ${textOf(entry, paint)}\n`;
      timer ??= setImmediate(flush);
    },
    flush,
  };
}

type Entry = ReturnType<typeof entryOf>;

function entryOf(exchange: FinishedExchange, redaction: Redaction) {
  const { request, response, verdict, failure, fault } = exchange;
  const lost = verdict?.effects?.filter(losesEnvironment);
  return {
    method: request.method,
    url: shortened(redactUrl(request.url, redaction), URL_LENGTH),
    status: response?.status,
    verdict: isOwnFailure(exchange) ? ('error' as const) : (verdict?.outcome ?? ('not judged' as const)),
    unguarded: exchange.unguarded,
    operation: verdict?.operation,
    lost: lost?.slice(0, MOST_SHOWN).map((effect) => shownLoss(effect, redaction)),
    lostInAll: lost?.length,
    findings: verdict && worstOf(verdict.findings),
    findingsInAll: verdict && verdict.findings.length + verdict.omitted,
    answeredBy: exchange.answeredBy,
    durationMs: Math.round(exchange.durationMs * 10) / 10,
    fault: fault === undefined ? undefined : shortened(fault, NAME_LENGTH),
    failure: failure === undefined ? undefined : shortened(redactText(failure, redaction), TEXT_LENGTH),
  };
}

function shownLoss(effect: LosingEffect, redaction: Redaction): Pick<LosingEffect, 'id' | 'name'> {
  const { id, name } = redactEffect(effect, redaction) as LosingEffect;
  return { id, name: shortened(name, NAME_LENGTH) };
}

/** `PATCH /api/v2/… 409 block updateProject gate 3ms: deletes environment 2 (Staging): error project.environment-deleted …` */
function textOf(entry: Entry, paint: Paint): string {
  const { method, url, status = '-', verdict, operation, lost = [], findings = [] } = entry;
  const colour = verdict === 'pass' ? 'green' : 'red';
  const parts = [
    printable(`${method} ${url}`),
    String(status),
    verdict === 'not judged' ? verdict : paint(colour, verdict),
    ...(entry.unguarded ? [paint('red', 'UNGUARDED')] : []),
    ...(operation === undefined ? [] : [printable(operation)]),
    entry.answeredBy,
    `${Math.round(entry.durationMs)}ms`,
  ];
  const more = (shown: number, all = shown) => (all > shown ? ` and ${all - shown} more` : '');
  const names = lost.map(({ id, name }) => `${id} (${name})`).join(', ') + more(lost.length, entry.lostInAll);
  const found = findings.map(
    ({ rule, severity, pointer }) =>
      `${paint(SEVERITY_COLOURS[severity], severity)} ${printable(`${rule} ${pointer}`).trimEnd()}`,
  );
  const texts = [
    lost.length > 0 && paint('red', printable(`deletes environment ${names}`)),
    found.length > 0 && found.join(', ') + more(found.length, entry.findingsInAll),
    entry.fault !== undefined && printable(`fault ${entry.fault}`),
    entry.failure !== undefined && printable(entry.failure),
  ];
  return [parts.join(' '), ...texts.filter((text) => text !== false)].join(': ');
}

/** What is lost for good comes before what is wrong, and that before what only may be. */
function worstOf(findings: readonly Finding[]): Pick<Finding, 'rule' | 'severity' | 'pointer'>[] {
  const rank = ({ rule, severity }: Finding) => (LOSING.has(rule) ? 0 : severity === 'error' ? 1 : 2);
  const worst = findings.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_SHOWN);
  return worst.map(({ rule, severity, pointer }) => {
    return { rule, severity, pointer: shortened(pointer, NAME_LENGTH) };
  });
}

const LOSING = new Set(['project.environment-deleted', 'project.environment-replaced', 'project.empty-list']);
