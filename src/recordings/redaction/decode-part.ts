import { isUtf8 } from 'node:buffer';

const PERCENT = 37;

/**
 * A part of a query or form, percent-decoded; as it stands where it cannot be decoded. Not by decodeURIComponent: it
 * throws, which for each of a million parts of a form takes longer than all the rest.
 */
export function decodePart(part: string): string {
  if (!/[%+]/.test(part)) return part;
  const spaced = part.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  const bytes = Buffer.from(spaced);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at] as number;
    if (byte === PERCENT) {
      byte = hexDigit(bytes[at + 1]) * 16 + hexDigit(bytes[at + 2]);
      if (Number.isNaN(byte)) return spaced;
      at += 2;
    }
    bytes[length++] = byte;
  }
  const decoded = bytes.subarray(0, length);
  return isUtf8(decoded) ? decoded.toString() : spaced;
}

/** NaN where it is none. */
function hexDigit(char = 0): number {
  if (char >= 48 && char <= 57) return char - 48;
  const letter = char | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : Number.NaN;
}
