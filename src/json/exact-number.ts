/** Digits of the largest double. */
const MOST_DIGITS = 309;

/**
 * Whether readers agree on the number where they read it as a double: no overflow; where its value is an integer, that very
 * integer; and where it is none, none.
 */
export function isExact(number: string): boolean {
  const double = Math.abs(Number(number));
  if (!Number.isFinite(double)) return false;
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = whole + fraction;
  const start = digits.search(/[1-9]/);
  if (start < 0) return true;
  const end = endOfSignificant(digits);
  // The value is the significant digits with this many zeros behind them; fewer than none: it is no integer.
  const zeros = Number(exponent) - fraction.length + digits.length - end;
  if (zeros < 0) return !Number.isInteger(double);
  if (end - start + zeros > MOST_DIGITS) return false;
  return BigInt(digits.slice(start, end) + '0'.repeat(zeros)) === BigInt(double);
}

/** Where trailing zeros start. A loop: a pattern would go back and forth over zeros that end in another digit. */
function endOfSignificant(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--;
  return end;
}
