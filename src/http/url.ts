/** Undefined if the text is no URL, as the WHATWG parser reads it. @param base what a relative one starts from */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Whether the text is a URL. A short one throws nothing, which costs more than parsing: a body may be full of bad URLs. */
export function isUrl(text: string): boolean {
  if (text.length > 200) return parseUrl(text) !== undefined;
  // Once it is optimised, URL.canParse of Node 20 refuses hosts that are not ASCII, but never how they are coded.
  return URL.canParse(text.replace(/[^\0-\x7f]+/g, (others) => encodeURIComponent(others.toWellFormed())));
}

/** Whether a URL with this text has the scheme http or https. The parser skips what stands before it, and breaks within. */
export function hasHttpScheme(text: string): boolean {
  return /^[\0- ]*h[\t\n\r]*t[\t\n\r]*t[\t\n\r]*p[\t\n\r]*(?:s[\t\n\r]*)?:/i.test(text);
}
