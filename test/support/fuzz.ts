/** How often and from which seed generated requests are tried. */

/** `npm run fuzz`, not a part of all tests. */
export const isLong = process.env.FUZZ === 'long';

/**
 * Of every property: all tests together try the same values each time, `npm run fuzz` others. FUZZ_SEED repeats a run
 * of either.
 */
export const SEED = Number(process.env.FUZZ_SEED ?? (isLong ? Math.floor(Math.random() * 2 ** 31) : 1));

/** @param short how many requests where all tests run @param long how many in `npm run fuzz`, unless FUZZ_RUNS says so */
export function runs(short: number, long: number): number {
  return Number(process.env.FUZZ_RUNS ?? (isLong ? long : short));
}

/** Says what is needed to repeat a run. */
export function announce(what: string, count: number): void {
  if (isLong) process.stdout.write(`${count} ${what}, FUZZ_SEED=${SEED}\n`);
}

/** Octets or texts without spaces between them. */
export const words = (text: string) => text.split(/[ \n]+/).filter(Boolean);
/** One text a line. */
export const lines = (text: string) => text.trim().split(/\n +/);
