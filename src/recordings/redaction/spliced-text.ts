/** A text of which spans are replaced, one behind the other. */
export class SplicedText {
  readonly #text: string;
  #clean = '';
  /** What stands behind this offset is not replaced yet. */
  end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  replace(from: number, to: number, by: string): void {
    this.#clean += this.#text.slice(this.end, from) + by;
    this.end = to;
  }

  toString(): string {
    return this.end === 0 ? this.#text : this.#clean + this.#text.slice(this.end);
  }
}
