/** Places in the text of a JSON document. */

import { tokensOf } from './pointer.ts';
import { scanJson, skipString, UNLIMITED } from './scan-json.ts';

/** Both from 1; columns count UTF-16 code units, as editors do. */
export interface Place {
  line: number;
  column: number;
}

/** What is wrong with a text; `offset` in UTF-16 code units from 0. */
interface Fault {
  message: string;
  offset: number;
}

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** The first break of RFC 8259's grammar. */
export function syntaxErrorOf(text: string): Fault | undefined {
  if (isJson(text)) return undefined;
  const open: string[] = [];
  let wanted = 'a value';
  let mayClose = false;
  for (let at = skipSpace(text, 0); ; at = skipSpace(text, at)) {
    const char = text[at] ?? '';
    const closer = open.at(-1);
    if (mayClose && char !== '' && char === closer) {
      open.pop();
      at++;
    } else if (wanted === 'a value' && (char === '{' || char === '[')) {
      open.push(char === '{' ? '}' : ']');
      wanted = char === '{' ? NAME : 'a value';
      mayClose = true;
      at++;
      continue;
    } else if (wanted === 'a value' || wanted === NAME) {
      const end = char === '"' ? strictEnd(text, at) : wanted === NAME ? at : scalarEnd(text, at);
      if (typeof end === 'object') return end;
      if (end === at) return expected(wanted, text, at);
      at = end;
      mayClose = false;
      if (wanted === NAME) {
        at = skipSpace(text, at);
        if (text[at] !== ':') return expected('":"', text, at);
        at++;
        wanted = 'a value';
        continue;
      }
    } else if (closer !== undefined && char === ',') {
      wanted = closer === '}' ? NAME : 'a value';
      mayClose = false;
      at++;
      continue;
    } else return expected(wanted, text, at);
    const last = open.at(-1);
    wanted = last === undefined ? 'the end of the document' : `"," or "${last}"`;
    mayClose = last !== undefined;
  }
}

const NAME = 'a member name in double quotes';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function expected(what: string, text: string, offset: number): Fault {
  const found = text.codePointAt(offset);
  const message =
    found === undefined
      ? `the document ends where ${what} should be`
      : `expected ${what}, found ${JSON.stringify(String.fromCodePoint(found))}`;
  return { message, offset };
}

function scalarEnd(text: string, start: number): number {
  SCALAR.lastIndex = start;
  return start + (SCALAR.exec(text)?.[0].length ?? 0);
}

/** The end of a string, or what is wrong in it. */
function strictEnd(text: string, start: number): number | Fault {
  const end = skipString(text, start);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is wrong
  for (const found of text.slice(start, end - 1).matchAll(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|[\0-\x1f\\]/g)) {
    if (found[0].length > 1) continue;
    const isEscape = found[0] === '\\';
    const what = isEscape
      ? 'an escape that JSON knows (\\n, \\u00e9, …)'
      : 'a string without raw control characters';
    return expected(what, text, start + found.index);
  }
  return end > text.length ? expected('the closing quote of a string', text, text.length) : end;
}

/**
 * What is wrong with a file of ours: the first break of the grammar, or a name that comes twice in one object. JSON.parse takes the
 * last of them, and what the first one says would silently be without effect.
 */
export function faultOf(text: string): Fault | undefined {
  const repeated: Fault[] = [];
  scanJson(text, UNLIMITED, ({ kind, what, offset }) => {
    if (kind === 'duplicate-key') repeated.push({ message: `"${what}" is given a second time`, offset });
  });
  return syntaxErrorOf(text) ?? repeated[0];
}

/** The place of an offset (UTF-16 code units from 0). */
export function placeAt(text: string, offset: number): Place {
  return placesAt(text, [offset])[0] as Place;
}

/** The same for several offsets: lines are counted once for all of them. */
export function placesAt(text: string, offsets: readonly number[]): Place[] {
  const places: Place[] = [];
  let [line, start, next] = [1, 0, text.indexOf('\n')];
  const inOrder = [...offsets.keys()].sort((a, b) => (offsets[a] as number) - (offsets[b] as number));
  for (const index of inOrder) {
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

interface Wanted {
  pointer: string;
  part: Part;
}

/**
 * Where a pointer leads in a valid document. What is missing would be just inside the innermost object or list that is
 * there. Of a name that comes twice the last one counts, as for JSON.parse.
 */
export function findPlace(text: string, pointer: string, part: Part = 'value'): Place {
  return findPlaces(text, [{ pointer, part }])[0] as Place;
}

/** The same for several pointers, in one pass. */
export function findPlaces(text: string, wanted: readonly Wanted[]): Place[] {
  return placesAt(text, findOffsets(text, wanted));
}

/** A place that a pointer leads to or through. */
interface Branch {
  below: Map<string, Branch>;
  found?: Record<Part, number>;
}

/** The same as offsets, in UTF-16 code units from 0. */
export function findOffsets(text: string, wanted: readonly Wanted[]): number[] {
  const root: Branch = { below: new Map() };
  const ways = wanted.map(({ pointer }) => {
    const way = [root];
    for (const token of tokensOf(pointer)) {
      const { below } = way.at(-1) as Branch;
      const next = below.get(token) ?? { below: new Map() };
      below.set(token, next);
      way.push(next);
    }
    return way;
  });
  scanJson(text, UNLIMITED, undefined, (open, value) => {
    let branch: Branch | undefined = root;
    for (let i = 0; i < open.length && branch; i++) branch = branch.below.get(String(open[i]?.token));
    const holder = open[open.length - 1];
    if (branch) branch.found = { value, name: holder?.isObject ? holder.nameOffset : value };
  });
  return wanted.map(({ part }, index) => {
    const way = ways[index] as Branch[];
    const found = way.at(-1)?.found;
    if (found) return found[part];
    const inner = way.findLast((branch) => branch.found)?.found?.value ?? 0;
    return text[inner] === '{' || text[inner] === '[' ? inner + 1 : inner;
  });
}

/** The offset of the next character that is no white space. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \n\r\t'.includes(text[at] as string)) at++;
  return at;
}

/** The offset behind a value of a valid document. */
export function skipValue(text: string, from: number): number {
  let at = from;
  let depth = 0;
  do {
    const char = text[at] as string;
    if (char === '"') at = skipString(text, at);
    else {
      if (char === '{' || char === '[') depth++;
      else if (char === '}' || char === ']') depth--;
      at++;
    }
  } while (at < text.length && (depth > 0 || !' \t\n\r,:]}'.includes(text[at] as string)));
  return at;
}
