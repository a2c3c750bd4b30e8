/** URLs as the WHATWG parser reads them. */

/** Undefined where the text is no URL. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

export function isUrl(text: string): boolean {
  // Does not throw, so a body full of bad URLs costs little. Once it is optimised, that of Node 20 refuses hosts that are
  // not ASCII: these are left to the parser.
  return /[^ -~]/.test(text) ? parseUrl(text) !== undefined : URL.canParse(text);
}
