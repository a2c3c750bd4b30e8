import type { Severity } from '../model/finding.ts';
import { effectText } from '../reporters/effect-text.ts';
import { sanitize } from '../reporters/wording.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { verdictOf } from './exchange-filter.ts';

const VERDICTS = {
  block: ['✕', 'Blocked', 'bad'],
  pass: ['✓', 'Passed', 'good'],
  'passed-error': ['!', 'Passed, enforce would block', 'warn'],
  missed: ['?', 'Missed', 'bad'],
  none: ['–', 'Not judged', 'quiet'],
} as const;

/** A word, a sign and a colour, of which each says it alone. */
export function VerdictWord({ exchange }: { exchange: ShownExchange }) {
  const [sign, word, tone] = VERDICTS[verdictOf(exchange)];
  return (
    <span class={`word ${tone}`} title={word}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

export function SeverityWord({ severity }: { severity: Severity }) {
  const isError = severity === 'error';
  return <span class={`word ${isError ? 'bad' : 'warn'}`}>{isError ? 'Error' : 'Warning'}</span>;
}

/** The one thing to know of an exchange, in a line. */
export function summaryOf(exchange: ShownExchange): string {
  const { verdict, response, failure, fault } = exchange;
  const kind = verdictOf(exchange);
  if (kind === 'missed' && failure) return sanitize(failure);
  const { findings = [], effects = [], omitted = 0 } = verdict ?? {};
  const [effect] = effects;
  const finding = findings.find(({ severity }) => severity === 'error') ?? findings[0];
  const more = findings.length + omitted - 1;
  // What is not valid is blocked for that, whatever it would delete.
  const isInvalid = response?.status === 422 || kind === 'passed-error';
  const isLost = effect && !isInvalid && effectText(effect)[1] === 'red';
  const parts = [
    isLost && effectText(effect)[2],
    finding && !isLost && `${finding.message}${more > 0 ? `, and ${more} more` : ''}`,
    effect && !isLost && !finding && effectText(effect)[2],
    failure,
    fault && `fault ${fault}`,
  ];
  return sanitize(parts.filter(Boolean).join('; '));
}

/** `14:03:22`, as the clock here has it. */
export function timeOf(iso: string): string {
  return new Date(iso).toTimeString().slice(0, 8);
}

/** `12 ms`, `1.2 s` */
export function tookText(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
