import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import { escapeToken } from '../model/pointer.ts';

/** Errors that one keyword at one place of a schema makes of one body. A verdict shows no more of them than this. */
const MOST_ERRORS = 100;

/**
 * Bounds what a hostile body of wrong values costs: each place in Ajv's generated code that makes errors makes so many in
 * full, and the last one then stands for all further ones, in their number. By place, so that a flood of one error never
 * hides another.
 */
export class ErrorSites {
  /** By site, once it is full: the error that stands for the rest. Generated code looks it up. */
  readonly full: (Partial<ErrorObject> | undefined)[] = [];
  readonly #counts: number[] = [];
  readonly #standing = new Set<Partial<ErrorObject>>();
  #isClean = true;
  #name = '';
  #token = '';

  /** Makes the sites known to the code of an Ajv whose option `code.process` is `bound`. */
  attach(ajv: Ajv2020): void {
    Object.assign(ajv, { errorSites: this });
  }

  /** A further site. */
  add(): number {
    return this.#counts.push(0) - 1;
  }

  /** @param code of a validating function */
  bound(code: string): string {
    const changed = code.replace(
      /const (err\d+) = (\{instancePath[\s\S]*?\});if\(vErrors === null\)\{vErrors = \[\1\];\}/g,
      (_, name: string, error: string) => {
        const site = this.add();
        return `const ${name} = sites.full[${site}] ?? sites.keep(${site}, ${error});if(vErrors === null){vErrors = [${name}];}`;
      },
    );
    // Ajv escapes a member's name for each error of it, and for each schema that it is handed to.
    const cached = changed.replaceAll(
      /(\w+)\.replace\(\/~\/g, "~0"\)\.replace\(\/\\\/\/g, "~1"\)/g,
      'sites.token($1)',
    );
    return `const sites = self.errorSites;${cached}`;
  }

  /** A name as a token of a JSON Pointer. The last one is kept: the next to be asked for is nearly always the same. */
  token(name: string): string {
    if (name !== this.#name) {
      this.#name = name;
      this.#token = escapeToken(name);
    }
    return this.#token;
  }

  /** To be called with each error that is made in full. */
  keep<Error extends Partial<ErrorObject>>(site: number, error: Error): Error {
    this.#isClean = false;
    const count = (this.#counts[site] as number) + 1;
    this.#counts[site] = count;
    if (count === MOST_ERRORS) {
      this.full[site] = error;
      this.#standing.add(error);
    }
    return error;
  }

  /** Whether an error may stand for others, too: then it comes several times in the list. */
  standsForOthers(error: ErrorObject): boolean {
    return this.#standing.size > 0 && this.#standing.has(error);
  }

  /** To be called when a body is done: errors hold its values. */
  reset(): void {
    if (this.#isClean) return;
    this.#isClean = true;
    this.#counts.fill(0);
    this.full.length = 0;
    this.#standing.clear();
  }
}
