import { losesEnvironment } from '../model/effect.ts';
import { coloured, type Paint, plain, SEVERITY_COLOURS } from '../reporters/colours.ts';
import { shortened } from '../reporters/wording.ts';
import type { Config } from '../settings/config.ts';
import type { Entry, EntryOf } from './entry.ts';
import { type FinishedExchange, isOwnFailure } from './exchange.ts';
import { printable } from './printable.ts';

/** Findings and lost environments that a line for people shows. */
const MOST_SHOWN = 5;
const SHOWN_LENGTH = 120;

/** The access log: one line per request, free of control characters, in lines for people or in JSON. `write` takes whole lines. */
export function createAccessLog(
  format: Config['log'],
  entryOf: EntryOf,
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
      const entry = entryOf(exchange);
      const verdict = isOwnFailure(exchange) ? 'error' : (entry.verdict ?? 'not judged');
      const line = { ...entry, verdict, durationMs: Math.round(exchange.durationMs * 10) / 10 };
      const time = new Date(exchange.startedAt).toTimeString().slice(0, 8);
      // A write to a terminal or pipe costs more than a request: all lines of a turn go out together.
      if (waiting === '') setImmediate(flush);
      waiting +=
        format === 'json'
          ? `${printable(JSON.stringify(line))}\n`
          : `${paint('grey', time)} ${textOf(line, paint)}\n`;
    },
    /** To be called before the process ends. */
    flush,
  };
}

type Line = Omit<Entry, 'verdict'> & { verdict: string; durationMs: number };

/** `PATCH /api/v2/… 409 block updateProject gate 3ms: deletes environment 2 (Staging): error project.environment-deleted …` */
function textOf(entry: Line, paint: Paint): string {
  const { method, path, query, status = '-', verdict, operation, effects = [], findings = [] } = entry;
  const { unguarded, answeredBy, durationMs, findingsOmitted, fault, failure } = entry;
  const isJudged = verdict !== 'not judged';
  const lost = effects.filter(losesEnvironment).map(({ id, name }) => `${id} (${shownPart(name)})`);
  const worstFirst = findings.toSorted(
    (a, b) => Number(a.severity === 'warn') - Number(b.severity === 'warn'),
  );
  const found = worstFirst.map(({ rule, severity, pointer }) => {
    return `${paint(SEVERITY_COLOURS[severity], severity)} ${shownPart(`${rule} ${pointer}`).trimEnd()}`;
  });
  const parts = [
    printable(`${method} ${path}${query === undefined ? '' : `?${query}`}`),
    String(status),
    isJudged ? paint(verdict === 'pass' ? 'green' : 'red', verdict) : verdict,
    unguarded && paint('red', 'UNGUARDED'),
    operation && printable(operation),
    answeredBy,
    `${Math.round(durationMs)}ms`,
  ];
  const texts = [
    parts.filter(Boolean).join(' '),
    lost.length > 0 && paint('red', `deletes environment ${shownList(lost)}`),
    found.length > 0 && shownList(found, findingsOmitted),
    fault !== undefined && `fault ${shownPart(fault)}`,
    failure !== undefined && printable(failure),
  ];
  return texts.filter((text) => text !== false).join(': ');
}

function shownPart(text: string): string {
  return printable(shortened(text, SHOWN_LENGTH));
}

function shownList(all: readonly string[], omitted = 0): string {
  const more = all.length - MOST_SHOWN + omitted;
  return all.slice(0, MOST_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
