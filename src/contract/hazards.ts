import type { Finding } from '../model/finding.ts';
import { FindingBounds } from '../model/finding-bounds.ts';
import { placesAt } from '../model/json-text.ts';
import { pointerOf } from '../model/pointer.ts';
import type { Hazard } from '../model/scan-json.ts';
import { type RequestRule, requestFinding } from './request-rules.ts';

const RULES: Readonly<
  Record<
    Hazard['kind'],
    { rule: RequestRule; message: (pointer: string, what: string) => string; hint: string }
  >
> = {
  'duplicate-key': {
    rule: 'request.duplicate-key',
    message: (pointer) => `${pointer} is given a second time in the same object`,
    hint: 'give each name once: servers differ in which one they take',
  },
  'unsafe-number': {
    rule: 'request.unsafe-number',
    message: (pointer, what) =>
      `${pointer || 'the body'} is ${what}, a number that a double cannot hold exactly`,
    hint: 'servers that read numbers as doubles see another value: send it as text, or a smaller one',
  },
  'unsafe-key': {
    rule: 'request.unsafe-key',
    message: (pointer, what) =>
      `${pointer} is named ${what}${what === 'constructor' ? ' and holds "prototype"' : ''}`,
    hint: 'leave it out: in some servers such a member changes other objects',
  },
};

/** What a scan found in a body that readers disagree on, as findings. */
export class HazardFindings {
  readonly #isOpen: (path: Hazard['path']) => boolean;
  readonly #bounds = new FindingBounds();
  readonly #findings: Finding[] = [];
  readonly #offsets: number[] = [];

  /** @param isOpen whether the contract leaves the shape of the value at a path open: numbers there only warn */
  constructor(isOpen: (path: Hazard['path']) => boolean) {
    this.#isOpen = isOpen;
  }

  add({ kind, path, offset, what }: Hazard): void {
    const { rule, message, hint } = RULES[kind];
    const severity = kind === 'unsafe-number' && this.#isOpen(path) ? 'warn' : 'error';
    let length = 0;
    for (const token of path) length += typeof token === 'string' ? token.length : 1;
    if (!this.#bounds.takes(rule, severity, length)) return;
    const pointer = pointerOf(path);
    this.#findings.push(requestFinding(rule, message(pointer, what), { pointer, hint, severity }));
    this.#offsets.push(offset);
  }

  /** Findings that were only counted. */
  get omitted(): number {
    return this.#bounds.omitted;
  }

  /** @param text the body, for lines and columns */
  in(text: string): Finding[] {
    const places = placesAt(text, this.#offsets);
    return this.#findings.map((finding, index) => ({ ...finding, ...places[index] }));
  }
}
