/** One to a hundred printable characters of ASCII; a URL could not name the other two. */
const SESSION_NAME = /^(?!\.{1,2}$)[\x20-\x7e]{1,100}$/;

/** For people. */
export const SESSION_NAMES = '1 to 100 printable characters of ASCII, other than "." and ".."';

export function isSessionName(value: unknown): value is string {
  return typeof value === 'string' && SESSION_NAME.test(value);
}

/** What is wrong with a text that names no session, for people: `it has 130 characters, and 100 is the most` */
export function whyNoSessionName(text: string): string {
  if (text === '.' || text === '..') return `it is "${text}"`;
  const odd = /[^\x20-\x7e]/u.exec(text)?.[0];
  const wrong = [
    text === '' && 'it is empty',
    text.length > 100 && `it has ${text.length} characters, and 100 is the most`,
    odd !== undefined && `it has ${characterText(odd)}, which is no printable ASCII`,
  ];
  return wrong.filter(Boolean).join('; ');
}

/** `"é" (U+00E9)`; what is no letter is not shown. */
function characterText(character: string): string {
  const code = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
  return /\p{L}/u.test(character) ? `"${character}" (${code})` : code;
}
