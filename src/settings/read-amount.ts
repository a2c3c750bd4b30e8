/** Milliseconds; a timer of Node that is to wait longer fires at once. */
export const LONGEST_TIMER = 2_147_483_647;

/** In milliseconds. */
export const DURATIONS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30s` with `{ s: 1000 }` -> 30000; a bare number counts the smallest unit. Undefined: it is no such amount. */
export function readAmount(given: unknown, units: Readonly<Record<string, number>>): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(String(given)) ?? [];
  const size = unit === '' ? 1 : units[unit.toLowerCase()];
  return number === undefined || size === undefined ? undefined : Math.round(Number(number) * size);
}

/** Whether it is a bare number other than 0, which could count seconds or milliseconds. */
export function lacksUnit(given: unknown): boolean {
  return /^\d+(?:\.\d+)?$/.test(String(given)) && Number(given) !== 0;
}
