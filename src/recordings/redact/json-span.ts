import { skipString } from '../../json/json-text.ts';

const LONGEST_NUMBER = 4096;

/** The offset behind the JSON value that starts here. */
export function endOfJson(text: string, from: number): number {
  if (text[from] === '"') return skipString(text, from);
  if (text[from] === '{' || text[from] === '[') return endOfBrackets(text, from, text.length);
  const length = text.slice(from, from + LONGEST_NUMBER).search(/[\s,}\]]/);
  return length < 0 ? text.length : from + length;
}

export function endOfBrackets(text: string, from: number, most: number): number {
  let depth = 0;
  for (let at = from; at < text.length && at < most; at++) {
    const char = text[at];
    if (char === '"') at = skipString(text, at) - 1;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}
