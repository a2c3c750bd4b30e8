/** Stands in every recording, log and message in the place of a secret. In matching it equals any value at its place. */
export const REDACTED = '[redacted]';

export type Hide = (secret: string) => string;

export const hidden: Hide = () => REDACTED;

const PLACEHOLDERS = /(\[redacted(?::[\da-f]{12})?\])/;

export function holdsPlaceholder(text: string): boolean {
  return PLACEHOLDERS.test(text);
}

/** As an answer shows it: a client cannot tell hidden values apart. */
export function withoutHashes(text: string): string {
  return text.replaceAll(new RegExp(PLACEHOLDERS, 'g'), REDACTED);
}

export function isRedacted(text: string): boolean {
  return text.startsWith('[redacted') && PLACEHOLDERS.exec(text)?.[0] === text;
}

/** Changes a text between its placeholders: to redact twice gives the same as once. */
export function betweenPlaceholders(text: string, change: (part: string) => string): string {
  if (!text.includes('[redacted')) return change(text);
  const parts = text.split(PLACEHOLDERS);
  return parts.map((part, i) => (i % 2 === 1 ? part : change(part))).join('');
}

/** What takes the place of a span of a text. */
export type Edit = [from: number, to: number, by: string];

/** @param edits in the order of the text; what begins within another goes with it */
export function edited(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  let at = 0;
  let clean = '';
  for (const [from, to, by] of edits) {
    if (from >= at) clean += text.slice(at, from) + by;
    at = Math.max(at, to);
  }
  return clean + text.slice(at);
}
