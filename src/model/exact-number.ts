/** Whether a double holds the number: no overflow, and where its value is an integer, that very integer. */
export function isExact(number: string): boolean {
  const double = Number(number);
  if (!Number.isFinite(double)) return false;
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = whole + fraction;
  const end = endOfSignificant(digits);
  if (end === 0) return true;
  // The value is the significant digits with this many zeros behind them; fewer than none: it is no integer.
  const zeros = Number(exponent) - fraction.length + digits.length - end;
  if (zeros < 0) return true;
  // A finite double has at most 309 digits, so beside leading zeros this stays small.
  return BigInt(digits.slice(0, end) + '0'.repeat(zeros)) === BigInt(Math.abs(double));
}

/** Where trailing zeros start. A loop: a pattern would go back and forth over zeros that end in another digit. */
function endOfSignificant(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--;
  return end;
}
