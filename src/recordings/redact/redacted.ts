/** Stands in every recording, log and message in the place of a secret. In matching it equals any value at its place. */
export const REDACTED = '[redacted]';

/** The placeholder of a secret. */
export type Hide = (secret: string) => string;

export const hidden: Hide = () => REDACTED;

const PLACEHOLDERS = /(\[redacted(?::[\da-f]{12})?\])/;

/** Whether any placeholder stands in a text. */
export function holdsPlaceholder(text: string): boolean {
  return PLACEHOLDERS.test(text);
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

/** A text of which spans are replaced, one behind the other. */
export class SplicedText {
  readonly #text: string;
  #clean = '';
  /** The text behind this offset is not replaced yet. */
  end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  replace(from: number, to: number, by: string): void {
    this.#clean += this.#text.slice(this.end, from) + by;
    this.end = to;
  }

  toString(): string {
    return this.end === 0 ? this.#text : this.#clean + this.#text.slice(this.end);
  }
}
