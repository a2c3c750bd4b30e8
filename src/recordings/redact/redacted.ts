/** Stands in every recording, log and message in the place of a secret. In matching it equals any value at its place. */
export const REDACTED = '[redacted]';

export type Hide = (secret: string) => string;

export const hidden: Hide = () => REDACTED;

const PLACEHOLDERS = /\[redacted(?::[\da-f]{12})?\]/g;

export function holdsPlaceholder(text: string): boolean {
  return text.search(PLACEHOLDERS) >= 0;
}

/** As an answer shows it: a client cannot tell hidden values apart. */
export function withoutHashes(text: string): string {
  return text.replaceAll(PLACEHOLDERS, REDACTED);
}

export function isRedacted(text: string): boolean {
  return text.length < 32 && withoutHashes(text) === REDACTED;
}

export type Edit = [from: number, to: number, by: string];

/** What begins within another edit goes with it; of two of one place the first counts. */
export function edited(text: string, edits: Edit[]): string {
  let at = 0;
  let clean = '';
  for (const [from, to, by] of edits.sort((a, b) => a[0] - b[0])) {
    if (from >= at) clean += text.slice(at, from) + by;
    at = Math.max(at, to);
  }
  return clean + text.slice(at);
}
