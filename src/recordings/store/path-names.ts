import type { Place } from '../files.ts';
import type { NamesBelow } from '../store.ts';

const NO_NAMES: ReadonlySet<string> = new Set();

/** The segments with which paths go on from one another, and their methods. */
export class PathNames {
  readonly #methods = new Set<string>();
  readonly #segments = new Map<string, Set<string>>();

  add({ method, path }: Place): void {
    this.#methods.add(method);
    for (let end = path.length; end > 0; ) {
      const start = path.lastIndexOf('/', end - 1);
      if (start < 0) return;
      const others = this.#segments.get(path.slice(0, start)) ?? new Set();
      if (others.size === 0) this.#segments.set(path.slice(0, start), others);
      others.add(path.slice(start + 1, end));
      end = start;
    }
  }

  /** @param has whether the path has something of a method */
  below(path: string, has: (method: string) => boolean): NamesBelow {
    return {
      methods: new Set([...this.#methods].filter(has)),
      segments: this.#segments.get(path) ?? NO_NAMES,
    };
  }
}
