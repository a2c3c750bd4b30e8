let [second, start] = [0, '1970-01-01T00:00:00.'];

/** Whole milliseconds since 1970 -> ISO 8601, UTC. Many are of one second, and a text by a date takes 0.7 µs. */
export function isoTime(ms: number): string {
  const rest = ms % 1000;
  if (ms - rest !== second) [second, start] = [ms - rest, new Date(ms).toISOString().slice(0, 20)];
  return `${start}${String(rest).padStart(3, '0')}Z`;
}
