import { isUtf8 } from 'node:buffer';
import { PatchgateError } from '../../../errors.ts';
import type { JsonValue } from '../../../json/json.ts';
import { Char } from '../../../json/json-lexer.ts';
import type { Place } from '../../../json/json-text.ts';
import { jsonBreakOf } from '../json/json-break.ts';
import { isTooDeep, ValueEnd } from '../json/value-end.ts';
import { TextLines, type TextStart } from '../places/text-lines.ts';
import { TextPosition } from '../places/text-position.ts';

/** An entry of an archive, or another value beside the entries, with where it stands. */
export interface HarSlice {
  /** `/log/entries/3`, `/log/creator` */
  pointer: string;
  isEntry: boolean;
  value: JsonValue;
  text: string;
  start: TextStart;
}

/** A value that is being cut out, as far as it has come. */
interface Cutting {
  end: ValueEnd;
  parts: Buffer[];
  size: number;
}

/** Bytes of an entry. */
const MOST = 64 * 1024 * 1024;

const HINT = 'an HTTP archive (HAR 1.2) is expected: export it again, whole; nothing was judged';

/** What is gone into, from the outside; in the last one are the entries. */
const WAY: readonly { name: string; pointer: string; opener: Char; closer: Char; what: string }[] = [
  { name: '', pointer: '', opener: Char.OpenBrace, closer: Char.CloseBrace, what: 'an object' },
  { name: 'log', pointer: '/log', opener: Char.OpenBrace, closer: Char.CloseBrace, what: 'an object' },
  {
    name: 'entries',
    pointer: '/log/entries',
    opener: Char.OpenBracket,
    closer: Char.CloseBracket,
    what: 'a list',
  },
];
const LIST = WAY.length;

/** What may come next, outside of the values that are cut out. */
const WORDS = {
  value: 'a value',
  name: 'a member name in double quotes',
  colon: '":"',
  next: '"," or the end of what was begun',
  nothing: 'the end of the document',
};

/**
 * Cuts an HTTP archive into its entries as its bytes come, so that no more of it is held than one of them. What stands beside
 * the entries is cut out as well: all of it is read as strictly as JSON.parse does.
 */
export class HarSlices {
  readonly #file: string;
  readonly #most: number;
  readonly #position = new TextPosition();
  /** How many of `WAY` are open. */
  #depth = 0;
  #expected: keyof typeof WORDS = 'value';
  /** Whether what is open may also end here, since it is empty. */
  #isFirst = false;
  /** Of the member that comes next. */
  #name = '';
  /** How many entries have begun. */
  #entries = 0;
  readonly #seen = new Set<string>();
  #value: Cutting | undefined;

  /**
   * @param file its name, for messages
   * @param most bytes of an entry
   */
  constructor(file: string, most = MOST) {
    this.#file = file;
    this.#most = most;
  }

  /** @throws PatchgateError `bad-input` with file, line and column */
  *feed(chunk: Buffer): Generator<HarSlice> {
    let passed = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#value) {
        const end = this.#value.end.find(chunk, at);
        this.#hold(end < 0 ? chunk.subarray(at) : chunk.subarray(at, end));
        if (end < 0) return;
        at = passed = end;
        const slice = this.#cut();
        if (slice) yield slice;
        continue;
      }
      const char = chunk[at] as number;
      const isSpace =
        char === Char.Space || char === Char.LineFeed || char === Char.Return || char === Char.Tab;
      if (!isSpace) {
        this.#position.pass(chunk.toString('latin1', passed, at));
        passed = at;
        if (this.#beginsValue(char)) {
          this.#value = { end: new ValueEnd(char), parts: [], size: 0 };
          continue;
        }
      }
      at++;
    }
    this.#position.pass(chunk.toString('latin1', passed));
  }

  /** @throws PatchgateError `bad-input` where the file has ended too early, or is no archive */
  end(): void {
    const { start } = this.#position;
    if (this.#value) {
      const bytes = Buffer.concat(this.#value.parts);
      this.#refuse(bytes, start);
      const text = bytes.toString('utf8');
      throw this.#cutOff(new TextLines(text, start).placeOf(text.length), this.#pointer);
    }
    if (this.#expected === 'value' && this.#depth === 0) throw this.#broken(start, 'the file is empty');
    if (this.#expected !== 'nothing') throw this.#cutOff(start, WAY[this.#depth - 1]?.pointer ?? '');
    if (!this.#seen.has('entries'))
      throw this.#broken({ line: 1, column: 1 }, 'there is no list /log/entries: this is no HTTP archive');
  }

  /** Reads a character outside of the values that are cut out. @returns whether such a value begins with it */
  #beginsValue(char: number): boolean {
    const expected = this.#expected;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if ((expected === 'next' || isFirst) && char === WAY[this.#depth - 1]?.closer) this.#close();
    else if (expected === 'next' && char === Char.Comma)
      this.#expected = this.#depth === LIST ? 'value' : 'name';
    else if (expected === 'colon' && char === Char.Colon) this.#expected = 'value';
    else if (expected === 'name' && char === Char.Quote) return true;
    else if (expected === 'value' && this.#isOnTheWay()) this.#open(char);
    else if (expected === 'value' && VALUE_STARTS.has(char)) {
      if (this.#depth === LIST) this.#entries++;
      return true;
    } else throw this.#unexpected(char);
    return false;
  }

  #isOnTheWay(): boolean {
    return this.#depth < LIST && this.#name === WAY[this.#depth]?.name;
  }

  #open(char: number): void {
    const { opener, pointer, name, what } = WAY[this.#depth] as (typeof WAY)[number];
    if (this.#depth === 0 && char !== opener) throw this.#unexpected(char);
    if (char !== opener) throw this.#broken(this.#position.start, `${pointer} must be ${what}`);
    if (this.#seen.has(name))
      throw this.#broken(this.#position.start, `${pointer} stands here for the second time`);
    this.#seen.add(name);
    this.#depth++;
    this.#isFirst = true;
    this.#expected = this.#depth === LIST ? 'value' : 'name';
  }

  #close(): void {
    this.#depth--;
    this.#expected = this.#depth === 0 ? 'nothing' : 'next';
  }

  #hold(bytes: Buffer): void {
    const value = this.#value as Cutting;
    value.parts.push(bytes);
    value.size += bytes.length;
    if (value.size <= this.#most) return;
    const { start } = this.#position;
    this.#refuse(Buffer.concat(value.parts), start);
    throw this.#broken(
      start,
      `${this.#pointer} has more than ${this.#most / 1024 / 1024} MiB`,
      'export it without the contents of large responses; nothing was judged',
    );
  }

  /** @throws PatchgateError where they break the grammar, and not by their end alone */
  #refuse(bytes: Buffer, start: TextStart): void {
    const found = jsonBreakOf(bytes);
    if (found && !found.isCut)
      throw this.#broken(new TextLines(bytes.toString('utf8'), start).placeOf(found.offset), found.message);
  }

  /** The value has ended. @returns undefined where it is the name of a member */
  #cut(): HarSlice | undefined {
    const { parts } = this.#value as Cutting;
    this.#value = undefined;
    const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    const { start } = this.#position;
    const text = bytes.toString('utf8');
    let value: JsonValue;
    try {
      if (!isUtf8(bytes) || isTooDeep(bytes)) throw new Error('no JSON');
      value = JSON.parse(text) as JsonValue;
    } catch {
      const { offset, message } = jsonBreakOf(bytes) ?? { offset: 0, message: 'this is no JSON' };
      throw this.#broken(new TextLines(text, start).placeOf(offset), message);
    }
    this.#position.pass(text);
    if (this.#expected === 'name') {
      this.#name = value as string;
      this.#expected = 'colon';
      return undefined;
    }
    this.#expected = 'next';
    return { pointer: this.#pointer, isEntry: this.#depth === LIST, value, text, start };
  }

  /** Of the value that is being cut out. */
  get #pointer(): string {
    const above = WAY[this.#depth - 1]?.pointer ?? '';
    return this.#expected === 'name'
      ? above
      : `${above}/${this.#depth === LIST ? this.#entries - 1 : this.#name}`;
  }

  #unexpected(char: number): PatchgateError {
    const { start } = this.#position;
    if (char === 0) return this.#broken(start, UTF_16);
    if (this.#depth === 0 && this.#expected === 'value')
      return this.#broken(start, FOREIGN.get(char) ?? 'this is no object in JSON, as an HTTP archive is');
    const found = char < 0x80 ? JSON.stringify(String.fromCharCode(char)) : 'a character beyond ASCII';
    return this.#broken(start, `expected ${WORDS[this.#expected]}, found ${found}`);
  }

  #cutOff(place: Place, pointer: string): PatchgateError {
    return this.#broken(place, `the file is cut off${pointer === '' ? '' : `: it ends within ${pointer}`}`);
  }

  #broken({ line, column }: Place, what: string, hint = HINT): PatchgateError {
    return new PatchgateError('bad-input', `${this.#file}:${line}:${column}: ${what}`, { hint });
  }
}

const UTF_16 = 'this is no UTF-8, maybe UTF-16';
/** What begins with a byte that no JSON begins with. */
const FOREIGN: ReadonlyMap<number, string> = new Map([
  [0x50, 'this is a ZIP archive'],
  [0x1f, 'this is compressed: unpack it with gunzip first'],
  [0xff, UTF_16],
  [0xfe, UTF_16],
]);

const VALUE_STARTS: ReadonlySet<number> = new Set(Buffer.from('{["-0123456789tfn'));
