import type { Latency } from '../../model/fault.ts';
import { DURATIONS, lacksUnit, readAmount } from '../read-amount.ts';
import { LONGEST_TIMER } from '../setting.ts';

/** For messages. */
export const LATENCIES = 'a duration with its unit, or a range of them: 5s, 5ms, 50ms..200ms; or recorded';

/** `100ms`, `50ms..2s`, `recorded`; the number of a program is milliseconds. Undefined: it is none of these. */
export function readLatency(given: unknown): Latency | undefined {
  if (given === 'recorded') return 'recorded';
  if (typeof given !== 'string' && typeof given !== 'number') return undefined;
  const [from, to, ...others] = String(given)
    .split('..')
    .map((end) => (typeof given === 'string' && lacksUnit(end) ? undefined : readAmount(end, DURATIONS)));
  if (from === undefined || others.length > 0) return undefined;
  const isRange = typeof given === 'string' && given.includes('..');
  const last = isRange ? to : from;
  return last === undefined || last < from || last > LONGEST_TIMER ? undefined : { from, to: last };
}
