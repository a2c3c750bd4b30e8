/** Places in the text of a JSON document. */

import { tokensOf } from './pointer.ts';
import { scanJson, skipString, UNLIMITED } from './scan-json.ts';

/** Both from 1; columns count UTF-16 code units, as editors do. */
export interface Place {
  line: number;
  column: number;
}

/** An error in a text; `offset` in UTF-16 code units from 0. */
interface Fault {
  message: string;
  offset: number;
}

const MARKS = '{}[],:"';
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|/y;
/** How a value begins: `0` stands for numbers and words. */
const [VALUE, VALUES] = ['a value', '{["0'];
const NAME = 'a member name in double quotes';

/** The first break of RFC 8259's grammar. */
export function syntaxErrorOf(text: string): Fault | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return firstBreak(text);
  }
}

function firstBreak(text: string): Fault {
  const closers: string[] = [];
  let [wanted, takes, end] = [VALUE, VALUES, 0];
  for (;;) {
    const at = skipSpace(text, end);
    const char = text[at] ?? '';
    SCALAR.lastIndex = at;
    const isScalar = !MARKS.includes(char) && SCALAR.test(text) && SCALAR.lastIndex > at;
    if (char === '' || !takes.includes(isScalar ? '0' : char)) return expected(wanted, text, at);
    end = isScalar ? SCALAR.lastIndex : char === '"' ? skipString(text, at) : at + 1;
    const fault = char === '"' && faultInString(text, at, end);
    if (fault) return fault;
    if (char === '{' || char === '[') closers.push(char === '{' ? '}' : ']');
    else if (char === '}' || char === ']') closers.pop();
    const closer = closers.at(-1);
    if (char === '{') [wanted, takes] = [NAME, '"}'];
    else if (char === '[') [wanted, takes] = [VALUE, `${VALUES}]`];
    else if (char === ',' && closer === '}') [wanted, takes] = [NAME, '"'];
    else if (char === ',' || char === ':') [wanted, takes] = [VALUE, VALUES];
    else if (wanted === NAME && char === '"') [wanted, takes] = ['":"', ':'];
    else if (closer) [wanted, takes] = [`"," or "${closer}"`, `,${closer}`];
    else [wanted, takes] = ['the end of the document', ''];
  }
}

function expected(what: string, text: string, offset: number): Fault {
  const found = text.codePointAt(offset);
  if (found === undefined) return { message: `the document ends where ${what} should be`, offset };
  return { message: `expected ${what}, found ${JSON.stringify(String.fromCodePoint(found))}`, offset };
}

function faultInString(text: string, start: number, end: number): Fault | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the errors
  const found = text.slice(start, end - 1).matchAll(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|[\0-\x1f\\]/g);
  for (const { 0: one, index } of found) {
    if (one.length > 1) continue;
    const known = 'an escape that JSON knows (\\n, \\u00e9, …)';
    return expected(one === '\\' ? known : 'a string without raw control characters', text, start + index);
  }
  return end > text.length ? expected('the closing quote of a string', text, text.length) : undefined;
}

/** The first error in a file of ours: a break of the grammar, or a name that comes twice, one of which would be without effect. */
export function faultOf(text: string): Fault | undefined {
  let repeated: Fault | undefined;
  scanJson(text, UNLIMITED, ({ kind, what, offset }) => {
    if (kind === 'duplicate-key') repeated ??= { message: `"${what}" is given a second time`, offset };
  });
  return syntaxErrorOf(text) ?? repeated;
}

/** The place of an offset (UTF-16 code units from 0). */
export function placeAt(text: string, offset: number): Place {
  return placesAt(text, [offset])[0] as Place;
}

/** The same for several offsets: lines are counted once for all of them. */
export function placesAt(text: string, offsets: readonly number[]): Place[] {
  const places: Place[] = [];
  let [line, start, next] = [1, 0, text.indexOf('\n')];
  for (const [index, offset] of [...offsets.entries()].sort(([, a], [, b]) => a - b)) {
    for (; next >= 0 && next < offset; next = text.indexOf('\n', start)) {
      line++;
      start = next + 1;
    }
    places[index] = { line, column: offset - start + 1 };
  }
  return places;
}

/** The text before the first byte that is not UTF-8. */
export function startInUtf8(bytes: Buffer): string {
  let [start, good, bad] = ['', 0, bytes.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    try {
      // A character that is cut off at the end is no error.
      start = decoder.decode(bytes.subarray(0, middle), { stream: true });
      good = middle;
    } catch {
      bad = middle;
    }
  }
  return start;
}

/** Which place of a pointer is meant: the value's, or that of the member's name. */
export type Part = 'value' | 'name';

interface Wanted {
  pointer: string;
  part: Part;
}

/** The place of one pointer, as `findOffsets` finds it. */
export function findPlace(text: string, pointer: string, part: Part = 'value'): Place {
  return findPlaces(text, [{ pointer, part }])[0] as Place;
}

export function findPlaces(text: string, wanted: readonly Wanted[]): Place[] {
  return placesAt(text, findOffsets(text, wanted));
}

/** A place that a pointer leads to or through. */
interface Branch {
  below: Map<string, Branch>;
  found?: Record<Part, number>;
}

/**
 * Where pointers lead in a valid document, in UTF-16 code units from 0. What is missing would be just inside the innermost object or list
 * that is there. Of a name that comes twice the last one counts, as for JSON.parse.
 */
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
  return ways.map((way, index) => {
    const found = way.at(-1)?.found;
    if (found) return found[wanted[index]?.part ?? 'value'];
    const inner = way.findLast((branch) => branch.found)?.found?.value ?? 0;
    return /[{[]/.test(text[inner] ?? '') ? inner + 1 : inner;
  });
}

/** The offset of the next character that is no white space. */
function skipSpace(text: string, from: number): number {
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
