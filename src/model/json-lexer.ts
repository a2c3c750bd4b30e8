/** The smallest pieces of JSON text: characters, and where a run of them ends. */

export const Char = {
  Tab: 9,
  LineFeed: 10,
  Return: 13,
  Space: 32,
  Quote: 34,
  Plus: 43,
  Comma: 44,
  Minus: 45,
  Dot: 46,
  Zero: 48,
  Nine: 57,
  Colon: 58,
  OpenBracket: 91,
  Backslash: 92,
  CloseBracket: 93,
  OpenBrace: 123,
  CloseBrace: 125,
} as const;

/** The offset of the next character that is no white space. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const char = text.charCodeAt(at);
    if (char !== Char.Space && char !== Char.LineFeed && char !== Char.Return && char !== Char.Tab) return at;
    at++;
  }
}

/** The offset behind a run of digits. */
export function afterDigits(text: string, from: number): number {
  let at = from;
  for (;;) {
    const char = text.charCodeAt(at);
    // NaN, past the end, is no digit either.
    if (!(char >= Char.Zero && char <= Char.Nine)) return at;
    at++;
  }
}

/** Length of the escape that starts at a backslash, 0 where JSON has no such escape. */
export function escapeLength(text: string, at: number): number {
  const char = text[at + 1];
  if (char === undefined) return 0;
  if ('"\\/bfnrt'.includes(char)) return 2;
  return char === 'u' && /^[0-9a-f]{4}$/i.test(text.slice(at + 2, at + 6)) ? 6 : 0;
}
