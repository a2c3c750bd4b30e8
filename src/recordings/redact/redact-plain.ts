import { hash } from 'node:crypto';
import { betweenPlaceholders, type Hide, hidden, isRedacted, REDACTED, SplicedText } from './redacted.ts';
import type { OnFound, Redaction } from './redaction.ts';
import { secretsIn } from './shapes.ts';

/** Stands for a value that looks like a secret, in a path or query: two of them stay apart. */
export const hiddenApart: Hide = (secret) => `[redacted:${hash('sha256', secret, 'hex').slice(0, 12)}]`;

/** Characters of the shortest text that holds a secret, unless a pattern says otherwise. */
export const SHORTEST = 7;

/** Hides what looks like a secret, what is known as one, and what a pattern matches, in text of any kind. */
export function redactPlain(
  text: string,
  redaction: Redaction,
  place: string,
  onFound?: OnFound,
  hide: Hide = hidden,
): string {
  const { detects, texts, patterns } = redaction;
  let clean = detects ? redactShapes(text, place, onFound, hide) : text;
  for (const secret of texts)
    if (clean.includes(secret))
      clean = betweenPlaceholders(clean, (part) => part.replaceAll(secret, REDACTED));
  for (const pattern of patterns) {
    const hideMatch = (match: string) => {
      if (match === '') return match;
      onFound?.({ what: `the pattern ${pattern.source}`, place, isDetected: false, value: match });
      return REDACTED;
    };
    clean = betweenPlaceholders(clean, (part) => part.replace(pattern, hideMatch));
  }
  return clean;
}

function redactShapes(text: string, place: string, onFound: OnFound | undefined, hide: Hide): string {
  const spans = secretsIn(text);
  if (spans.length === 0) return text;
  const clean = new SplicedText(text);
  for (const { from, to, kind } of spans) {
    const value = text.slice(from, to);
    if (from < clean.end || isRedacted(value)) continue;
    onFound?.({ what: kind, place, isDetected: true, value });
    clean.replace(from, to, hide(value));
  }
  return clean.toString();
}
