import { decodePart } from './decode-part.ts';
import { foundByName, type OnFound } from './found-secret.ts';
import { redactText } from './redact-text.ts';
import { REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';
import { isSecretParameter } from './secret-parameter.ts';

/** Whether the media type is that of forms whose parts have heads of their own. */
export function isMultipart(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*multipart\//i.test(contentType);
}

/** Characters of a part's head that are read. */
const LONGEST_HEAD = 4096;
/** Forms within forms that are looked into. */
const DEEPEST = 4;

/** The file's name may hold whatever reads as a name. */
const FILE_NAME = /\bfilename\*?\s{0,8}=\s{0,8}(?:"[^"\r\n]*"|[^;\r\n]*)/gi;
const NAME = /\bname\s{0,8}=\s{0,8}(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^;\s]+))/i;
/** RFC 5987: with its character set and language. */
const CODED_NAME = /\bname\*\s{0,8}=\s{0,8}[\w-]*'[\w-]*'([^;\s]+)/i;

/**
 * A form of parts (RFC 7578): those with a secret name keep their head, all others are texts, or forms themselves. Each
 * part begins behind a line that begins with the first line of all.
 */
export function redactMultipart(
  text: string,
  redaction: Redaction,
  place: string,
  onFound?: OnFound,
  depth = 0,
): string {
  const delimiter = /(?:^|\n)(--[^\r\n]{1,200})/.exec(text.slice(0, LONGEST_HEAD))?.[1];
  if (delimiter === undefined || depth >= DEEPEST) return redactText(text, redaction, place, onFound);
  const parts = text.split(delimiter);
  const clean = parts.map((part) => redactPart(part, redaction, place, onFound, depth));
  return clean.every((part, i) => part === parts[i]) ? text : clean.join(delimiter);
}

function redactPart(
  part: string,
  redaction: Redaction,
  place: string,
  onFound: OnFound | undefined,
  depth: number,
): string {
  const blank = /\r?\n\r?\n/.exec(part.slice(0, LONGEST_HEAD));
  if (!blank) return redactText(part, redaction, place, onFound);
  const start = blank.index + blank[0].length;
  const end = part.length - (/\r?\n$/.exec(part.slice(-2))?.[0].length ?? 0);
  const head = part.slice(0, start);
  const value = part.slice(start, end);
  const name = nameIn(head);
  const where = name === undefined ? place : `${place}/${name}`;
  if (name !== undefined && isSecretParameter(name, value, value, redaction.members)) {
    if (value === REDACTED) return part;
    onFound?.(foundByName(name, where, value));
    return head + REDACTED + part.slice(end);
  }
  const isForm = /^content-type:\s*multipart\//im.test(head);
  const isBase64 = /^content-transfer-encoding:\s*base64/im.test(head);
  const clean = isForm
    ? redactMultipart(value, redaction, where, onFound, depth + 1)
    : isBase64
      ? redactBase64(value, redaction, where, onFound)
      : redactText(value, redaction, where, onFound);
  const cleanHead = redactText(head, redaction, place, onFound);
  return clean === value && cleanHead === head ? part : cleanHead + clean + part.slice(end);
}

function nameIn(head: string): string | undefined {
  const coded = CODED_NAME.exec(head)?.[1];
  if (coded !== undefined) return decodePart(coded);
  const found = NAME.exec(head.replace(FILE_NAME, ''));
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

/** As a whole: a placeholder that is coded itself is none, and matches nothing. */
function redactBase64(text: string, redaction: Redaction, place: string, onFound?: OnFound): string {
  const plain = Buffer.from(text, 'base64').toString('latin1');
  return redactText(plain, redaction, place, onFound) === plain ? text : REDACTED;
}
