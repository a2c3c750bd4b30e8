/** URLs as the WHATWG parser reads them. */

/** Undefined where the text is no URL. @param base what a relative one starts from */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Whether the text is a URL. Does not throw where that would cost more than parsing, so a body full of bad URLs costs little. */
export function isUrl(text: string): boolean {
  // Once it is optimised, URL.canParse of Node 20 refuses hosts that are not ASCII, but never how they are coded.
  if (isAscii(text)) return URL.canParse(text);
  return text.length > LONG ? parseUrl(text) !== undefined : URL.canParse(coded(text));
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** UTF-16 code units of a text that takes longer to parse than an error to be thrown. */
const LONG = 200;

/** With everything that is not ASCII percent-encoded: the parser undoes that in a host, and does it itself elsewhere. */
function coded(text: string): string {
  return text.replace(/[^\0-\x7f]+/g, (characters) => encodeURIComponent(characters.toWellFormed()));
}

/** Whether a URL with this text has the scheme http or https. The parser skips what stands before it, and breaks within. */
export function hasHttpScheme(text: string): boolean {
  return HTTP.test(text);
}

const HTTP = /^[\0- ]*h[\t\n\r]*t[\t\n\r]*t[\t\n\r]*p[\t\n\r]*(?:s[\t\n\r]*)?:/i;

/**
 * A URL as text: its path is never normalised, but begins with a slash.
 *
 * @param base `http://127.0.0.1:4010`, or with a path, which is put before the request's unless that begins with it
 */
export function absoluteUrl({ path, query }: { path: string; query: string }, base: string): string {
  const [, origin = '', prefix = ''] = /^([a-z]+:\/\/[^/]*)(.*?)\/*$/.exec(base) ?? [];
  const rooted = path.startsWith('/') ? path : `/${path}`;
  const isBelow = prefix === '' || rooted === prefix || rooted.startsWith(`${prefix}/`);
  return `${origin}${isBelow ? '' : prefix}${rooted}${query === '' ? '' : `?${query}`}`;
}
