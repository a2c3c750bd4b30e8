import { decisiveEffects } from '../guard/decisive-effects.ts';
import { type Effect, losesEnvironment } from '../model/effect.ts';
import type { Finding, Verdict } from '../model/finding.ts';
import { shortened } from '../model/short-text.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { coloured, type Paint, plain, SEVERITY_COLOURS } from '../reporters/colours.ts';
import type { Config } from '../settings/config.ts';
import { type EntryOf, shownTarget, shownText } from './entry.ts';
import { type FinishedExchange, isOwnFailure } from './exchange.ts';
import { printable } from './printable.ts';

/** Findings and lost environments that a line for people shows. */
const [MOST_SHOWN, SHOWN_LENGTH] = [5, 120];

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
  const verdict = isOwnFailure(exchange) ? 'error' : (exchange.verdict?.outcome ?? 'not judged');
  const durationMs = Math.round(exchange.durationMs * 10) / 10;
  return `${printable(JSON.stringify(Object.assign(entryOf(exchange), { verdict, durationMs })))}\n`;
}

/** `12:00:00 PATCH /api/v2/… 409 block updateProject gate 3ms: deletes environment 2 (Staging): error project.environment-deleted …` */
function textOf(exchange: FinishedExchange, redaction: Redaction, paint: Paint): string {
  const { startedAt, request, response, verdict, effects, fault, failure } = exchange;
  const outcome = isOwnFailure(exchange) ? 'error' : verdict?.outcome;
  // Made of lists and objects, it took 10 µs more.
  let line = `${paint('grey', new Date(startedAt).toTimeString().slice(0, 8))} `;
  const { path, query } = shownTarget(request.url, redaction);
  line += printable(`${request.method} ${path}${query && `?${query}`}`);
  line += ` ${response?.status ?? '-'} `;
  line += outcome ? paint(outcome === 'pass' ? 'green' : 'red', outcome) : 'not judged';
  if (exchange.unguarded) line += ` ${paint('red', 'UNGUARDED')}`;
  if (verdict?.operation) line += ` ${printable(verdict.operation)}`;
  line += ` ${exchange.answeredBy} ${Math.round(exchange.durationMs)}ms`;
  if (effects?.some(losesEnvironment)) line += `: ${paint('red', lostText(effects, redaction))}`;
  if (verdict && verdict.findings.length > 0) line += `: ${foundText(verdict, paint)}`;
  if (fault !== undefined) line += `: fault ${shownPart(fault)}`;
  if (failure !== undefined) line += `: ${printable(shownText(failure, redaction))}`;
  return `${line}\n`;
}

function lostText(effects: readonly Effect[], redaction: Redaction): string {
  const lost = decisiveEffects(effects, redaction).effects.filter(losesEnvironment);
  return `deletes environment ${shownList(lost.map(({ id, name }) => `${id} (${shownPart(name)})`))}`;
}

function foundText({ findings, omitted }: Verdict, paint: Paint): string {
  const rank = ({ severity }: Finding) => (severity === 'error' ? 0 : 1);
  const worstFirst = findings.toSorted((a, b) => rank(a) - rank(b));
  const found = worstFirst.map(({ rule, severity, pointer }) => {
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
