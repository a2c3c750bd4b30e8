import { inspect } from 'node:util';

/** A value of a config for a message, in one line: as JSON, where it is nothing that only a program can hold. */
export function shownValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text = isPlain(value) ? JSON.stringify(value) : inspect(value, { depth: 0, breakLength: Infinity });
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}

/** Characters of it that a message shows. */
const MOST = 200;

function isPlain(value: unknown): boolean {
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) && value.every((item) => typeof item !== 'object' && isPlain(item));
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
