/** Milliseconds, 24 days: a timer of Node that is to wait longer fires at once. */
const LONGEST_TIMER = 2_147_483_647;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30s` -> 30000. Undefined: it lacks its unit, which only 0 needs not. */
export function durationOf(given: string | 0): number | undefined {
  if (Number(given) === 0) return 0;
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(String(given)) ?? [];
  const scale = UNITS[unit.toLowerCase()];
  return scale && Math.min(Math.round(Number(number) * scale), LONGEST_TIMER);
}
