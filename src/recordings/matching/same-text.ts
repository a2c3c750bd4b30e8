import { REDACTED } from '../redaction/redacted.ts';

/** Whether a text is the recorded one, whose placeholders stand for any text in their places. */
export function sameText(recorded: string, sent: string): boolean {
  return recorded === sent || recorded === REDACTED || isFilledIn(recorded, sent, () => true);
}

/**
 * Whether a whole body is the recorded one, whose placeholders stand for a word each: for more than that, and a form with
 * further fields would be the same.
 */
export function sameBodyText(recorded: string, sent: string): boolean {
  return isFilledIn(recorded, sent, (gap) => !/[&"\s]/.test(gap));
}

function isFilledIn(recorded: string, sent: string, fits: (gap: string) => boolean): boolean {
  if (!recorded.includes(REDACTED)) return false;
  const [first = '', ...others] = recorded.split(REDACTED);
  const last = others.pop() as string;
  const end = sent.length - last.length;
  if (first.length > end || !sent.startsWith(first) || !sent.endsWith(last)) return false;
  let at = first.length;
  for (const piece of others) {
    const next = sent.indexOf(piece, at);
    if (next < 0 || next + piece.length > end || !fits(sent.slice(at, next))) return false;
    at = next + piece.length;
  }
  return fits(sent.slice(at, end));
}
