import { Char } from './json-lexer.ts';

/** Up to here a list of names is searched one by one; past it a Set pays. */
const FEW_NAMES = 12;

/** An object or list that is open while a JSON text is read from its start to its end. */
export class Container {
  /** The character that ends it. */
  readonly closer: number;
  readonly isObject: boolean;
  /** UTF-16 code units of the names that lead to it. */
  readonly lengthAbove: number;
  /** Of an object: the current member's name, and the offset where it stands. */
  name = '';
  nameOffset = 0;
  /** Of a list: the current item's index. */
  index = 0;
  #names: string[] | undefined;
  #manyNames: Set<string> | undefined;

  /** @param opener `{` or `[` */
  constructor(opener: number, lengthAbove: number) {
    this.lengthAbove = lengthAbove;
    this.isObject = opener === Char.OpenBrace;
    this.closer = this.isObject ? Char.CloseBrace : Char.CloseBracket;
  }

  /** Goes on to the next member. Whether a member of that name was there before. */
  enterMember(name: string, offset: number): boolean {
    this.name = name;
    this.nameOffset = offset;
    if (this.#manyNames) {
      const size = this.#manyNames.size;
      return this.#manyNames.add(name).size === size;
    }
    this.#names ??= [];
    if (this.#names.includes(name)) return true;
    if (this.#names.push(name) > FEW_NAMES) this.#manyNames = new Set(this.#names);
    return false;
  }

  /** The current member's name or item's index: a token of a JSON Pointer. */
  get token(): string | number {
    return this.isObject ? this.name : this.index;
  }
}
