import { REDACTED } from './redacted.ts';

const ENCODED = encodeURIComponent(REDACTED);

/** A part of a query, form or path, percent-encoded but for placeholders, which are to be seen as such. */
export function encodePart(part: string): string {
  // Half of a surrogate pair has no encoding.
  return encodeURIComponent(Buffer.from(part).toString()).replaceAll(ENCODED, REDACTED);
}
