/** `30s` with `{ s: 1000 }` -> 30000; a bare number counts the smallest unit. Undefined: it is no such amount. */
export function readAmount(given: unknown, units: Readonly<Record<string, number>>): number | undefined {
  if (typeof given !== 'string' && typeof given !== 'number') return undefined;
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(String(given));
  if (!match) return undefined;
  const word = (match[2] as string).toLowerCase();
  if (word !== '' && !Object.hasOwn(units, word)) return undefined;
  return Math.round(Number(match[1]) * (word === '' ? 1 : (units[word] as number)));
}

/** Whether it is a bare number other than 0, of which nobody can say whether it counts seconds or milliseconds. */
export function lacksUnit(given: unknown): boolean {
  return /^\d+(?:\.\d+)?$/.test(String(given)) && Number(given) !== 0;
}

/** In milliseconds. */
export const DURATIONS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** In bytes. */
export const SIZES = { b: 1, kb: 1000, kib: 1024, mb: 1e6, mib: 1_048_576 };
