import { decisiveEffects } from '../guard/decisive-effects.ts';
import { splitTarget } from '../http/http.ts';
import { type Effect, losesEnvironment } from '../model/effect.ts';
import type { Verdict } from '../model/finding.ts';
import { redactText, redactUrl } from '../recordings/redact/redact.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { coloured, type Paint, plain, SEVERITY_COLOURS } from '../reporters/colours.ts';
import { shortened } from '../reporters/wording.ts';
import type { Config } from '../settings/config.ts';
import { type EntryOf, PATH_LENGTH, TEXT_LENGTH } from './entry.ts';
import { type FinishedExchange, isOwnFailure } from './exchange.ts';
import { printable } from './printable.ts';

/** Findings and lost environments that a line for people shows. */
const MOST_SHOWN = 5;
const SHOWN_LENGTH = 120;

/** The access log: one line per request, free of control characters, in lines for people or in JSON. `write` takes whole lines. */
export function createAccessLog(
  format: Config['log'],
  entryOf: EntryOf,
  redaction: Redaction,
  write: (text: string) => void,
  isColoured = false,
) {
  if (format === 'off') return { finished: () => undefined, flush: () => undefined };
  const paint = isColoured ? coloured : plain;
  let waiting = '';
  const flush = () => {
    const lines = waiting;
    waiting = '';
    if (lines !== '') write(lines);
  };
  return {
    finished(exchange: FinishedExchange) {
      // A write to a terminal or pipe costs more than a request: all lines of a turn go out together.
      if (waiting === '') setImmediate(flush);
      waiting += format === 'json' ? jsonOf(exchange, entryOf) : textOf(exchange, redaction, paint);
    },
    /** To be called before the process ends. */
    flush,
  };
}

function jsonOf(exchange: FinishedExchange, entryOf: EntryOf): string {
  const entry = entryOf(exchange);
  const verdict = isOwnFailure(exchange) ? 'error' : (entry.verdict ?? 'not judged');
  const durationMs = Math.round(exchange.durationMs * 10) / 10;
  return `${printable(JSON.stringify(Object.assign(entry, { verdict, durationMs })))}\n`;
}

/** `12:00:00 PATCH /api/v2/… 409 block updateProject gate 3ms: deletes environment 2 (Staging): error project.environment-deleted …` */
function textOf(exchange: FinishedExchange, redaction: Redaction, paint: Paint): string {
  const { startedAt, request, response, verdict, effects, fault, failure } = exchange;
  const outcome = isOwnFailure(exchange) ? 'error' : verdict?.outcome;
  // Put together from a list of parts, it took 10 µs more.
  let line = `${paint('grey', new Date(startedAt).toTimeString().slice(0, 8))} `;
  const { path, query } = splitTarget(shortened(redactUrl(request.url, redaction), PATH_LENGTH));
  line += printable(`${request.method} ${path}${query && `?${query}`}`);
  line += ` ${response?.status ?? '-'} `;
  line += outcome ? paint(outcome === 'pass' ? 'green' : 'red', outcome) : 'not judged';
  if (exchange.unguarded) line += ` ${paint('red', 'UNGUARDED')}`;
  if (verdict?.operation) line += ` ${printable(verdict.operation)}`;
  line += ` ${exchange.answeredBy} ${Math.round(exchange.durationMs)}ms`;
  if (effects?.some(losesEnvironment)) line += `: ${paint('red', lostText(effects, redaction))}`;
  if (verdict && verdict.findings.length > 0) line += `: ${foundText(verdict, paint)}`;
  if (fault !== undefined) line += `: fault ${shownPart(fault)}`;
  if (failure !== undefined) line += `: ${printable(shortened(redactText(failure, redaction), TEXT_LENGTH))}`;
  return `${line}\n`;
}

function lostText(effects: readonly Effect[], redaction: Redaction): string {
  const lost = decisiveEffects(effects, redaction).effects.filter(losesEnvironment);
  return `deletes environment ${shownList(lost.map(({ id, name }) => `${id} (${shownPart(name)})`))}`;
}

function foundText({ findings, omitted }: Verdict, paint: Paint): string {
  const errorsFirst = findings.toSorted((a, b) => a.severity.localeCompare(b.severity));
  const found = errorsFirst.map(({ rule, severity, pointer }) => {
    return `${paint(SEVERITY_COLOURS[severity], severity)} ${shownPart(`${rule} ${pointer}`).trimEnd()}`;
  });
  return shownList(found, omitted);
}

function shownPart(text: string): string {
  return printable(shortened(text, SHOWN_LENGTH));
}

function shownList(all: readonly string[], omitted = 0): string {
  const more = all.length - MOST_SHOWN + omitted;
  return all.slice(0, MOST_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
