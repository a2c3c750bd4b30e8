let [last, text] = [0, new Date(0).toISOString()];

/** Milliseconds since 1970 -> ISO 8601, UTC. Many are of one millisecond, and each text takes 0.7 µs. */
export function isoTime(ms: number): string {
  if (ms !== last) [last, text] = [ms, new Date(ms).toISOString()];
  return text;
}
