/** Whether a double holds the number: no overflow, and where its value is an integer, that very integer. */
export function isExact(number: string): boolean {
  const double = Number(number);
  if (!Number.isFinite(double)) return false;
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return true;
  // The value is `significant` with this many zeros behind it; fewer than none: it is no integer.
  const zeros = Number(exponent) - fraction.length + digits.length - significant.length;
  if (zeros < 0) return true;
  // A finite double has at most 309 digits, so this stays small.
  return BigInt(significant + '0'.repeat(zeros)) === BigInt(Math.abs(double));
}
