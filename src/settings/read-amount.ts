import type { Latency } from '../model/fault.ts';

/** Milliseconds; a timer of Node that is to wait longer fires at once. */
export const LONGEST_TIMER = 2_147_483_647;

/** In milliseconds. */
export const DURATIONS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30s` with `{ s: 1000 }` -> 30000; a bare number counts the smallest unit. Undefined: it is no such amount. */
export function readAmount(given: unknown, units: Readonly<Record<string, number>>): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(String(given));
  if (!match) return undefined;
  const [, number, unit = ''] = match;
  const word = unit.toLowerCase();
  if (word !== '' && !Object.hasOwn(units, word)) return undefined;
  return Math.round(Number(number) * (word === '' ? 1 : (units[word] as number)));
}

/** Whether it is a bare number other than 0, which could count seconds or milliseconds. */
export function lacksUnit(given: unknown): boolean {
  return /^\d+(?:\.\d+)?$/.test(String(given)) && Number(given) !== 0;
}

/** `100ms`, `50ms..2s`, as the schema takes it. Undefined: the range is none, or too long. */
export function readLatency(given: unknown): Latency | undefined {
  const [from = Number.NaN, to = from] = String(given)
    .split('..')
    .map((end) => readAmount(end, DURATIONS));
  return from <= to && to <= LONGEST_TIMER ? { from, to } : undefined;
}
