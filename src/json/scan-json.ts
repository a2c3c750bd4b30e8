/**
 * One pass over the text of a JSON document: its size, and what two readers could read differently although it is valid JSON. It
 * takes any text: JSON.parse says whether that is JSON.
 */

export interface ScanLimits {
  /** Levels of objects and lists. */
  depth: number;
  /** Values of any kind, the containers included. */
  values: number;
}

/** Valid JSON that readers disagree on. */
export interface Hazard {
  kind: 'duplicate-key' | 'unsafe-number' | 'unsafe-key';
  /** The objects and lists that it stands in, from the outermost: their tokens are its JSON Pointer. To be read at once,
   *  since the scan goes on with them. */
  open: readonly Container[];
  /** Where it stands in the text, in UTF-16 code units from 0. */
  offset: number;
  /** The member's name, or the number as written (shortened). */
  what: string;
}

/** For a text that was not sent by a client. */
export const UNLIMITED: ScanLimits = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

/** Up to here a list of names is searched one by one; past it a Set pays. */
const FEW_NAMES = 12;

/** An object or list that is open while a JSON text is read from its start to its end. */
export class Container {
  /** Of an object: the current member's name, and the offset where it stands. */
  name = '';
  nameOffset = 0;
  /** Of a list: the current item's index. */
  index = 0;
  readonly #names: string[] = [];
  #manyNames: Set<string> | undefined;

  constructor(readonly isObject: boolean) {}

  /** Goes on to the next member. Whether a member of that name was there before. */
  enterMember(name: string, offset: number): boolean {
    this.name = name;
    this.nameOffset = offset;
    if (this.#manyNames) return this.#manyNames.size === this.#manyNames.add(name).size;
    if (this.#names.includes(name)) return true;
    if (this.#names.push(name) > FEW_NAMES) this.#manyNames = new Set(this.#names);
    return false;
  }

  /** The current member's name or item's index: a token of a JSON Pointer. */
  get token(): string | number {
    return this.isObject ? this.name : this.index;
  }
}

const [QUOTE, COMMA, MINUS, COLON, BACKSLASH] = [34, 44, 45, 58, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/**
 * @param onHazard told of each hazard, in the order of the text; there can be as many as values
 * @param onValue told of each value's offset
 * @returns the limit that is passed; the scan ends there
 */
export function scanJson(
  text: string,
  limits: ScanLimits,
  onHazard?: (hazard: Hazard) => void,
  onValue?: (open: readonly Container[], offset: number) => void,
): keyof ScanLimits | undefined {
  // Not `includes`: V8 moves it into the loop.
  const hasEscapes = /\\/.test(text);
  const open: Container[] = [];
  let container: Container | undefined;
  let isName = false;
  let values = 0;
  let at = 0;
  while (at < text.length) {
    const start = at++;
    const char = text.charCodeAt(start);
    if (char <= 32 || char === COLON) continue;
    if (char === COMMA) {
      if (!container) continue;
      isName = container.isObject;
      container.index++;
    } else if (char === CLOSE_OBJECT || char === CLOSE_LIST) {
      open.pop();
      container = open[open.length - 1];
      isName = false;
    } else if (isName && char === QUOTE) {
      isName = false;
      at = skipString(text, start);
      const name = nameAt(text, start, at, hasEscapes);
      if (container?.enterMember(name, start))
        onHazard?.({ kind: 'duplicate-key', open, offset: start, what: name });
      if (name === '__proto__') onHazard?.({ kind: 'unsafe-key', open, offset: start, what: name });
      else if (name === 'prototype' && onHazard) checkConstructor(open, onHazard);
    } else {
      if (++values > limits.values) return 'values';
      onValue?.(open, start);
      if (char === QUOTE) at = skipString(text, start);
      else if (char === OPEN_OBJECT || char === OPEN_LIST) {
        if (open.length >= limits.depth) return 'depth';
        isName = char === OPEN_OBJECT;
        container = new Container(isName);
        open.push(container);
      } else {
        while (isOfWord(text.charCodeAt(at))) at++;
        // Every number of so few characters is held exactly, but for one with an exponent.
        if (at - start <= 3 || !onHazard || !(char === MINUS || (char >= 48 && char <= 57))) continue;
        const number = text.slice(start, at);
        if ((number.length > 15 || /e/i.test(number)) && !isExact(number)) {
          const what = number.length > 40 ? `${number.slice(0, 40)}…` : number;
          onHazard({ kind: 'unsafe-number', open, offset: start, what });
        }
      }
    }
  }
  return undefined;
}

/** The offset behind the string whose quote stands at `start`; past the text's end if it is cut. */
export function skipString(text: string, start: number): number {
  // Not `indexOf`: V8 looks for a quote before each value, also if the value is no string, and that is to the text's end.
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function nameAt(text: string, start: number, end: number, hasEscapes: boolean): string {
  const name = text.slice(start + 1, end - 1);
  if (!hasEscapes || !name.includes('\\')) return name;
  try {
    return JSON.parse(text.slice(start, end)) as string;
  } catch {
    // No JSON: nobody reads the name.
    return name;
  }
}

/** Whether a character goes on with a number or a word. NaN, past the end, does not. */
function isOfWord(char: number): boolean {
  return char > 32 && char !== COMMA && char !== CLOSE_OBJECT && char !== CLOSE_LIST && char !== COLON;
}

/** `constructor` holding `prototype`: the finding is the former's. */
function checkConstructor(open: readonly Container[], onHazard: (hazard: Hazard) => void): void {
  const holder = open.at(-2);
  if (!holder?.isObject || holder.name !== 'constructor') return;
  const offset = holder.nameOffset;
  onHazard({ kind: 'unsafe-key', open: open.slice(0, -1), offset, what: 'constructor' });
}

/** Digits of the largest double. */
const MOST_DIGITS = 309;

/**
 * Whether readers agree on the number if they read it as a double: no overflow; if its value is an integer, that very
 * integer; and if it is none, none.
 */
function isExact(number: string): boolean {
  const double = Math.abs(Number(number));
  if (!Number.isFinite(double)) return false;
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = whole + fraction;
  const start = digits.search(/[1-9]/);
  if (start < 0) return true;
  let end = digits.length;
  // A pattern would go back and forth over zeros that end in another digit.
  while (digits[end - 1] === '0') end--;
  // The value is the significant digits with this many zeros behind them; fewer than none: it is no integer.
  const zeros = Number(exponent) - fraction.length + digits.length - end;
  if (zeros < 0) return !Number.isInteger(double);
  if (end - start + zeros > MOST_DIGITS) return false;
  return BigInt(digits.slice(start, end) + '0'.repeat(zeros)) === BigInt(double);
}
