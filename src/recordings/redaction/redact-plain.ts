import type { OnFound } from './found-secret.ts';
import { REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';
import { secretsIn } from './secret-kinds.ts';
import { SplicedText } from './spliced-text.ts';

/** What is hidden wherever it stands, whatever the text is: code, too. */
export function redactPlain(
  text: string,
  redaction: Redaction,
  place: string,
  onFound: OnFound | undefined,
): string {
  let clean = redaction.detects ? redactDetected(text, place, onFound) : text;
  for (const secret of redaction.texts) clean = between(clean, (part) => part.replaceAll(secret, REDACTED));
  for (const pattern of redaction.patterns) {
    clean = between(clean, (part) =>
      part.replace(pattern, (match) => {
        if (match === '') return match;
        onFound?.({ what: `the pattern ${pattern.source}`, place, isDetected: false, value: match });
        return REDACTED;
      }),
    );
  }
  return clean;
}

/** A placeholder is no text to look into: redacting twice must give the same. */
function between(text: string, change: (part: string) => string): string {
  return text.includes(REDACTED) ? text.split(REDACTED).map(change).join(REDACTED) : change(text);
}

function redactDetected(text: string, place: string, onFound: OnFound | undefined): string {
  const clean = new SplicedText(text);
  for (const { from, to, kind } of secretsIn(text)) {
    onFound?.({ what: kind, place, isDetected: true, value: text.slice(from, to) });
    clean.replace(from, to, REDACTED);
  }
  return clean.toString();
}
