import type { OnFound } from './found-secret.ts';
import { redactText } from './redact-text.ts';
import { REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';

/** Whether the media type is that of forms whose parts have heads of their own. */
export function isMultipart(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*multipart\//i.test(contentType);
}

/** Characters of a part's head that are read. */
const LONGEST_HEAD = 4096;
const NAME = /\bname="?([^";\r\n]*)/i;

/**
 * A form of parts (RFC 7578): those with a secret name keep their head, all others are texts. Each part begins behind a
 * line that begins with the first line of all.
 */
export function redactMultipart(
  text: string,
  redaction: Redaction,
  place: string,
  onFound?: OnFound,
): string {
  const delimiter = /--[^\r\n]{1,200}/.exec(text.slice(0, LONGEST_HEAD))?.[0];
  if (delimiter === undefined) return redactText(text, redaction, place, onFound);
  const parts = text.split(delimiter);
  const clean = parts.map((part) => redactPart(part, redaction, place, onFound));
  return clean.every((part, i) => part === parts[i]) ? text : clean.join(delimiter);
}

function redactPart(part: string, redaction: Redaction, place: string, onFound: OnFound | undefined): string {
  const blank = /\r?\n\r?\n/.exec(part.slice(0, LONGEST_HEAD));
  const name = blank ? NAME.exec(part.slice(0, blank.index))?.[1] : undefined;
  if (!blank || name === undefined || !redaction.members.has(name)) {
    return redactText(part, redaction, name === undefined ? place : `${place}/${name}`, onFound);
  }
  const start = blank.index + blank[0].length;
  const end = part.length - (/\r?\n$/.exec(part.slice(-2))?.[0].length ?? 0);
  const value = part.slice(start, end);
  if (value === REDACTED) return part;
  onFound?.({ what: `the name "${name}"`, place: `${place}/${name}`, isDetected: false, value });
  return part.slice(0, start) + REDACTED + part.slice(end);
}
