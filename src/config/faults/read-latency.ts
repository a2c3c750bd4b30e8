import type { Latency } from '../../model/fault.ts';
import { LONGEST_TIMER } from '../../settings/setting.ts';
import { DURATIONS, readAmount } from '../read-amount.ts';

/** For messages. */
export const LATENCIES = 'a duration or a range of them: 100ms, 50ms..200ms; or recorded';

/** `100ms`, `50ms..2s`, `recorded`; a number is milliseconds. Undefined: it is none of these. */
export function readLatency(given: unknown): Latency | undefined {
  if (given === 'recorded') return 'recorded';
  if (typeof given !== 'string' && typeof given !== 'number') return undefined;
  const [from, to, ...others] = String(given)
    .split('..')
    .map((end) => readAmount(typeof given === 'number' ? given : end, DURATIONS));
  if (from === undefined || others.length > 0) return undefined;
  const isRange = typeof given === 'string' && given.includes('..');
  const last = isRange ? to : from;
  return last === undefined || last < from || last > LONGEST_TIMER ? undefined : { from, to: last };
}
