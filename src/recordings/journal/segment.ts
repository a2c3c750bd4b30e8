/** One file of a journal. */
export interface Segment {
  /** Position in the journal where it begins, which is also its name. */
  base: number;
  size: number;
}

/** In the order of names the files stand in the order of their lines. */
export function segmentName(base: number): string {
  return `${String(base).padStart(16, '0')}.journal`;
}

/** Undefined where it is the name of something else. */
export function segmentBase(name: string): number | undefined {
  const digits = /^(\d{16})\.journal$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
