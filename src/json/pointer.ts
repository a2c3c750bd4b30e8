/**
 * JSON Pointers (RFC 6901): the name of a place in a body. `""` is the whole body, `/environments/0/id` a member.
 */

export function pointerOf(tokens: readonly (string | number)[]): string {
  let pointer = '';
  for (const token of tokens) pointer += `/${escapeToken(token)}`;
  return pointer;
}

export function escapeToken(token: string | number): string {
  return typeof token === 'number' ? String(token) : token.replace(/~/g, '~0').replace(/\//g, '~1');
}

/** The tokens of a pointer, unescaped. `""` gives none. */
export function tokensOf(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replace(/~1/g, '/').replace(/~0/g, '~'));
}

/** Whether a text is a JSON Pointer: empty, or tokens that each begin with `/`; `~` only in `~0` and `~1`. */
export function isPointer(text: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)*$/.test(text);
}
