/** So many digits make an integer that a double always holds; and so many zeros, a power of ten. */
const SAFE_DIGITS = 15;
/** 5 to a higher power than this has more bits than a double, so with more zeros behind it nothing is exact. */
const MOST_ZEROS = 22;

/**
 * Whether readers agree on the number where they read it as a double: no overflow; where its value is an integer, that very
 * integer; and where it is none, none.
 */
export function isExact(number: string): boolean {
  const size = number.startsWith('-') ? number.slice(1) : number;
  if (SHORT_INTEGER.test(size)) return isShortExact(size);
  const double = Number(size);
  if (!Number.isFinite(double)) return false;
  if (INTEGER.test(size)) return holds(double, size);
  const parts = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(size);
  const [, whole = '', fraction = '', exponent = '0'] = parts ?? [];
  const digits = whole + fraction;
  const end = endOfSignificant(digits);
  if (end === 0) return true;
  // The value is the significant digits with this many zeros behind them; fewer than none: it is no integer.
  const zeros = Number(exponent) - fraction.length + digits.length - end;
  if (zeros < 0) return !Number.isInteger(double);
  if (zeros > MOST_ZEROS) return false;
  return holds(double, digits.slice(0, end) + '0'.repeat(zeros));
}

/** Nearly every number that has to be looked at. Of so many digits, those before the last 15 times 1e15 are exact. */
const SHORT_INTEGER = /^\d{1,20}$/;
const INTEGER = /^\d+$/;

/** The same for these, without reading the whole number and so several times as fast. */
function isShortExact(digits: string): boolean {
  const low = Number(digits.slice(-SAFE_DIGITS));
  const high = Number(digits.slice(0, -SAFE_DIGITS)) * 10 ** SAFE_DIGITS;
  return high + low - high === low;
}

/** Whether an integer's nearest double is that very integer. */
function holds(double: number, integer: string): boolean {
  if (double <= Number.MAX_SAFE_INTEGER) return true;
  const lowDigits = Number(integer.slice(-SAFE_DIGITS));
  // The two are so near that they differ in the low digits if they differ at all.
  if (double < 1e30) return lowDigits === double % 10 ** SAFE_DIGITS;
  // From here on every double is a multiple of 2 ** 15 and more; only few integers are.
  if (lowDigits % 2 ** SAFE_DIGITS !== 0) return false;
  // A finite double has at most 309 digits, so beside leading zeros this stays small.
  return BigInt(integer) === BigInt(double);
}

/** Where trailing zeros start. A loop: a pattern would go back and forth over zeros that end in another digit. */
function endOfSignificant(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--;
  return end;
}
