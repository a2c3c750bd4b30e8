/** Places in the text of a JSON document. */

import { Char, skipSpace } from './json-lexer.ts';
import { tokensOf } from './pointer.ts';
import { scanJson, UNLIMITED } from './scan-json.ts';

/** Both from 1; columns count UTF-16 code units, as editors do. */
export interface Place {
  line: number;
  column: number;
}

/** The first break of RFC 8259's grammar; `offset` in UTF-16 code units from 0. */
export function syntaxErrorOf(text: string): { message: string; offset: number } | undefined {
  return scanJson(text, UNLIMITED).error;
}

/**
 * What is wrong with a file of ours: the first break of the grammar, or a name that comes twice in one object. JSON.parse takes the
 * last of them, and what the first one says would silently be without effect.
 *
 * @returns `offset` in UTF-16 code units from 0
 */
export function faultOf(text: string): { message: string; offset: number } | undefined {
  const repeated: { message: string; offset: number }[] = [];
  const { error } = scanJson(text, UNLIMITED, ({ kind, what, offset }) => {
    if (kind === 'duplicate-key') repeated.push({ message: `"${what}" is given a second time`, offset });
  });
  return error ?? repeated[0];
}

/** The place of an offset (UTF-16 code units from 0). */
export function placeAt(text: string, offset: number): Place {
  return placesAt(text, [offset])[0] as Place;
}

/** The same for several offsets: lines are counted once for all of them. */
export function placesAt(text: string, offsets: readonly number[]): Place[] {
  const places: Place[] = [];
  let line = 1;
  let start = 0;
  let next = text.indexOf('\n');
  for (const index of offsets
    .map((_, i) => i)
    .sort((a, b) => (offsets[a] as number) - (offsets[b] as number))) {
    const offset = offsets[index] as number;
    while (next >= 0 && next < offset) {
      line++;
      start = next + 1;
      next = text.indexOf('\n', start);
    }
    places[index] = { line, column: offset - start + 1 };
  }
  return places;
}

/** Which place of a pointer is meant: the value's, or that of the member's name. */
export type Part = 'value' | 'name';

/**
 * Where a pointer leads in a valid document. What is missing would be just inside the innermost object or list that is
 * there. Of a name that comes twice the last one counts, as for JSON.parse.
 */
export function findPlace(text: string, pointer: string, part: Part = 'value'): Place {
  return findPlaces(text, [{ pointer, part }])[0] as Place;
}

/**
 * The same for several pointers, in one pass.
 *
 * @param isUnique whether no name comes twice in one object: then the pass ends when all are found
 */
export function findPlaces(text: string, wanted: readonly Wanted[], isUnique = false): Place[] {
  return placesAt(text, findOffsets(text, wanted, isUnique));
}

interface Wanted {
  pointer: string;
  part: Part;
}

/** The same as offsets, in UTF-16 code units from 0. */
export function findOffsets(text: string, wanted: readonly Wanted[], isUnique = false): number[] {
  const root: Branch = { wanted: [], children: new Map() };
  let missing = 0;
  for (const [index, { pointer }] of wanted.entries()) {
    let branch = root;
    for (const token of tokensOf(pointer)) {
      const next = branch.children.get(token) ?? { wanted: [], children: new Map() };
      branch.children.set(token, next);
      branch = next;
    }
    if (branch.wanted.push(index) === 1) missing++;
  }
  const hasEscapes = text.includes('\\');
  const offsets: number[] = wanted.map(() => 0);
  const assign = (branch: Branch, offset: number) => {
    for (const index of branch.wanted) offsets[index] = offset;
    for (const child of branch.children.values()) assign(child, offset);
  };
  const visit = (branch: Branch, value: number, name: number): number => {
    const isContainer = text[value] === '{' || text[value] === '[';
    assign(branch, isContainer ? value + 1 : value);
    for (const index of branch.wanted) offsets[index] = wanted[index]?.part === 'name' ? name : value;
    if (branch.wanted.length > 0) missing--;
    if (isUnique && missing === 0) return text.length;
    if (!isContainer || branch.children.size === 0) return skipValue(text, value);
    let at = skipSpace(text, value + 1);
    for (let index = 0; at < text.length && text[at] !== '}' && text[at] !== ']'; index++) {
      const start = at;
      let token = String(index);
      if (text[value] === '{') {
        const end = skipString(text, at);
        token = text.slice(at + 1, end - 1);
        if (hasEscapes && token.includes('\\')) token = JSON.parse(text.slice(at, end)) as string;
        at = skipSpace(text, skipSpace(text, end) + 1);
      }
      const child = branch.children.get(token);
      at = skipSpace(text, child ? visit(child, at, start) : skipValue(text, at));
      if (text[at] === ',') at = skipSpace(text, at + 1);
    }
    return at + 1;
  };
  const start = skipSpace(text, 0);
  visit(root, start, start);
  return offsets;
}

/** The pointers that lead through one place. */
interface Branch {
  /** Indexes of the pointers that end here. */
  wanted: number[];
  children: Map<string, Branch>;
}

/** The offset behind a value of a valid document. */
export function skipValue(text: string, from: number): number {
  let at = from;
  let depth = 0;
  do {
    const char = text.charCodeAt(at);
    if (char === Char.Quote) at = skipString(text, at);
    else {
      if (char === Char.OpenBrace || char === Char.OpenBracket) depth++;
      else if (char === Char.CloseBrace || char === Char.CloseBracket) depth--;
      at++;
    }
  } while (at < text.length && (depth > 0 || !endsValue(text, at)));
  return at;
}

/** The offset behind the string whose quote stands here; past the text's end where it is cut. */
export function skipString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charCodeAt(at) !== Char.Quote)
    at += text.charCodeAt(at) === Char.Backslash ? 2 : 1;
  return at + 1;
}

/** Outside of containers: whether a value can end before this character. */
function endsValue(text: string, at: number): boolean {
  return ' \t\n\r,:]}'.includes(text.charAt(at));
}
