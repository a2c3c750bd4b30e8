import { isMultipart } from './redaction/redact.ts';

/** The boundary of every multipart body that is kept or looked up: clients draw a new one for each request. */
const BOUNDARY = 'patchgate-boundary';

const PARAMETER = /(;\s*boundary\s*=\s*)(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i;
const LINE_FEED = 10;

/**
 * A multipart body with the one boundary that recordings have, and the media type that says so.
 *
 * @returns undefined where it is none, has it already, or holds it somewhere else
 */
export function withOneBoundary(
  contentType: string | undefined,
  body: Buffer,
): { contentType: string; body: Buffer } | undefined {
  if (contentType === undefined || !isMultipart(contentType)) return undefined;
  const [, , quoted, plain] = PARAMETER.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || boundary === BOUNDARY || body.includes(BOUNDARY)) return undefined;
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  const own = Buffer.from(`--${BOUNDARY}`);
  const pieces: Buffer[] = [];
  let start = 0;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    if (at > 0 && body[at - 1] !== LINE_FEED) continue;
    pieces.push(body.subarray(start, at), own);
    start = at + delimiter.length;
  }
  return {
    contentType: contentType.replace(PARAMETER, `$1${BOUNDARY}`),
    body: Buffer.concat([...pieces, body.subarray(start)]),
  };
}

/** The parts of such a body in the order of their names, those of one name in that in which they came. */
export function withPartsInOrder(text: string): string {
  const [before = '', ...parts] = text.split(`--${BOUNDARY}`);
  const end = parts.pop();
  if (end === undefined) return text;
  const nameOf = (part: string) => /\bname="?([^";\r\n]*)/i.exec(part)?.[1] ?? '';
  const named = parts.map((part) => ({ name: nameOf(part), part }));
  named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return [before, ...named.map(({ part }) => part), end].join(`--${BOUNDARY}`);
}
