/** The smallest pieces of JSON text: characters, and where a run of them ends. */

/** An enum, since the bundler writes its values into the code: in a loop over all characters a look-up counts. */
export enum Char {
  Tab = 9,
  LineFeed = 10,
  Return = 13,
  Space = 32,
  Quote = 34,
  Plus = 43,
  Comma = 44,
  Minus = 45,
  Dot = 46,
  Zero = 48,
  Nine = 57,
  Colon = 58,
  OpenBracket = 91,
  Backslash = 92,
  CloseBracket = 93,
  a = 97,
  e = 101,
  f = 102,
  t = 116,
  OpenBrace = 123,
  CloseBrace = 125,
}

/** The offset of the next character that is no white space. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const char = text.charCodeAt(at);
    if (char !== Char.Space && char !== Char.LineFeed && char !== Char.Return && char !== Char.Tab) return at;
    at++;
  }
}

/** Whether a word stands at an offset. */
export function isAt(text: string, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) if (text.charCodeAt(at + i) !== word.charCodeAt(i)) return false;
  return true;
}

/** The offset behind a string, from its opening quote; `~offset` of the first break where it is none. */
export function stringEnd(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const char = text.charCodeAt(at);
    if (char === Char.Quote) return at + 1;
    if (char === Char.Backslash) {
      const length = escapeLength(text, at);
      if (length === 0) return ~at;
      at += length;
    } else if (char >= Char.Space) at++;
    // A control character, or the end of the text.
    else return ~at;
  }
}

/** The offset behind a number; `~offset` of the first break where it is none. */
export function numberEnd(text: string, start: number): number {
  const whole = text.charCodeAt(start) === Char.Minus ? start + 1 : start;
  let at = text.charCodeAt(whole) === Char.Zero ? whole + 1 : digitsEnd(text, whole);
  if (at === whole) return ~at;
  if (text.charCodeAt(at) === Char.Dot) {
    const fraction = at + 1;
    at = digitsEnd(text, fraction);
    if (at === fraction) return ~at;
  }
  if ((text.charCodeAt(at) | 32) === Char.e) {
    at++;
    if (text.charCodeAt(at) === Char.Plus || text.charCodeAt(at) === Char.Minus) at++;
    const exponent = at;
    at = digitsEnd(text, exponent);
    if (at === exponent) return ~at;
  }
  return at;
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    const char = text.charCodeAt(at);
    // NaN, past the end, is no digit either.
    if (!(char >= Char.Zero && char <= Char.Nine)) return at;
    at++;
  }
}

/** Length of the escape that starts at a backslash, 0 where JSON has no such escape. */
function escapeLength(text: string, at: number): number {
  const char = text[at + 1];
  if (char === undefined) return 0;
  if ('"\\/bfnrt'.includes(char)) return 2;
  if (char !== 'u') return 0;
  for (let digit = at + 2; digit < at + 6; digit++) if (!isHex(text.charCodeAt(digit))) return 0;
  return 6;
}

function isHex(char: number): boolean {
  const letter = char | 32;
  return (char >= Char.Zero && char <= Char.Nine) || (letter >= Char.a && letter <= Char.f);
}
