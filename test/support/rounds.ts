/** How often and from which seed generated values are tried. */

/** `npm run fuzz`, `crash` and `fleet`: many rounds, and other ones each time. */
export const isLong = process.env.ROUNDS === 'long';

/** All tests together try the same values each time. SEED repeats a run. */
export const SEED = Number(process.env.SEED ?? (isLong ? Math.floor(Math.random() * 2 ** 31) : 1));

/** @param short how many where all tests run @param long how many where there is time; RUNS says otherwise */
export function runs(what: string, short: number, long: number): number {
  const count = Number(process.env.RUNS ?? (isLong ? long : short));
  if (isLong) process.stdout.write(`${count} ${what}, SEED=${SEED}\n`);
  return count;
}
