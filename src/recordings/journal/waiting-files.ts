/** A method and path of which the journal holds exchanges that its file does not have yet. */
export interface Waiting {
  key: string;
  place: { method: string; path: string };
  /** Start and end of each stretch of lines in the journal, in turn, in their order. */
  stretches: number[];
  /** Whether one of them may drop or change what earlier runs kept. */
  replaces: boolean;
}

/** Which files wait for which lines of the journal: some numbers for each, however long the lines are. */
export class WaitingFiles {
  readonly #files = new Map<string, Waiting>();

  get size(): number {
    return this.#files.size;
  }

  /** The position of the first line that is waited for; undefined where there is none. */
  get first(): number | undefined {
    let first: number | undefined;
    for (const { stretches } of this.#files.values()) {
      if (first === undefined || (stretches[0] as number) < first) first = stretches[0];
    }
    return first;
  }

  add(method: string, path: string, start: number, end: number, replace: boolean): void {
    const key = fileKey(method, path);
    const file = this.#files.get(key);
    if (file === undefined) {
      this.#files.set(key, { key, place: { method, path }, stretches: [start, end], replaces: replace });
      return;
    }
    const { stretches } = file;
    if (replace) file.replaces = true;
    if (stretches.at(-1) === start) stretches[stretches.length - 1] = end;
    else stretches.push(start, end);
  }

  get(key: string): Waiting | undefined {
    return this.#files.get(key);
  }

  /** Behind the last line that a file waits for; 0 where it waits for none. */
  newestOf(key: string): number {
    return this.#files.get(key)?.stretches.at(-1) ?? 0;
  }

  /** Bytes of the lines that a file waits for. */
  bytesOf(key: string): number {
    return lengthOf(this.#files.get(key)?.stretches ?? []);
  }

  /** Those that wait now, in the order in which they began to. */
  all(): Waiting[] {
    return [...this.#files.values()];
  }

  /** The stretches of a file's lines between two positions, which are between two lines. */
  between(key: string, from: number, to: number): [start: number, end: number][] {
    const found: [number, number][] = [];
    const stretches = this.#files.get(key)?.stretches ?? [];
    for (let i = firstAfter(stretches, from); i < stretches.length; i += 2) {
      const start = Math.max(stretches[i] as number, from);
      if (start >= to) break;
      found.push([start, Math.min(stretches[i + 1] as number, to)]);
    }
    return found;
  }

  /** The file has its lines up to a position, which is between two of them. */
  settle(key: string, upTo: number): void {
    const file = this.#files.get(key);
    if (file === undefined) return;
    const left = this.between(key, upTo, Number.POSITIVE_INFINITY).flat();
    if (left.length === 0) this.#files.delete(key);
    else file.stretches = left;
  }
}

export function fileKey(method: string, path: string): string {
  return `${method} ${path}`;
}

/** Index of the first stretch that ends behind a position. */
function firstAfter(stretches: readonly number[], position: number): number {
  let low = 0;
  let high = stretches.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[2 * middle + 1] as number) > position) high = middle;
    else low = middle + 1;
  }
  return 2 * low;
}

function lengthOf(stretches: readonly number[]): number {
  let length = 0;
  for (let i = 0; i < stretches.length; i += 2)
    length += (stretches[i + 1] as number) - (stretches[i] as number);
  return length;
}
