import { REDACTED } from './redacted.ts';

/** A part of a query or form, percent-decoded; as it stands where it cannot be decoded. */
export function decodePart(part: string): string {
  if (!/[%+]/.test(part)) return part;
  const spaced = part.replaceAll('+', ' ');
  // An exception takes longer than to find that out.
  if (/%(?![\da-f]{2})/i.test(spaced)) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

const ENCODED = encodeURIComponent(REDACTED);

/** A part of a query, form or path, percent-encoded but for placeholders, which are to be seen as such. */
export function encodePart(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replaceAll(ENCODED, REDACTED);
}
