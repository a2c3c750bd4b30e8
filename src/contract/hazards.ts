import { placesAt } from '../json/json-text.ts';
import { pointerOf } from '../json/pointer.ts';
import type { Container, Hazard } from '../json/scan-json.ts';
import type { Finding } from '../model/finding.ts';
import { FindingBounds } from '../model/finding-bounds.ts';
import { type RequestRule, requestFinding } from './request-rules.ts';
import type { Shape } from './schema-shape.ts';

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
  readonly #shapes: ShapesOfOpen;
  readonly #bounds = new FindingBounds();
  readonly #findings: Finding[] = [];
  readonly #offsets: number[] = [];

  readonly #blocks: (rule: RequestRule) => boolean;
  #isEnough = false;

  /**
   * @param shape what the contract says of the body: where it leaves a value open, numbers only warn
   * @param blocks whether an error of a rule blocks the request
   */
  constructor(shape: Shape, blocks: (rule: RequestRule) => boolean) {
    this.#shapes = new ShapesOfOpen(shape);
    this.#blocks = blocks;
  }

  /** Whether there are so many errors that block that the body needs no further look. */
  get isEnough(): boolean {
    return this.#isEnough;
  }

  /** Of those that are no longer kept only the number counts, so that a flood of them costs little. */
  add({ kind, open, offset, what }: Hazard): void {
    const { rule, message, hint } = RULES[kind];
    if (
      this.#bounds.isFull(rule, 'error') &&
      (kind !== 'unsafe-number' || this.#bounds.isFull(rule, 'warn'))
    ) {
      this.#bounds.omitted++;
      return;
    }
    const severity = kind === 'unsafe-number' && this.#shapes.isOpenIn(open) ? 'warn' : 'error';
    if (this.#bounds.isFull(rule, severity)) {
      this.#bounds.omitted++;
      return;
    }
    let length = 0;
    for (const { token } of open) length += typeof token === 'string' ? token.length : 1;
    if (!this.#bounds.takes(rule, severity, length)) {
      this.#isEnough ||= severity === 'error' && this.#blocks(rule);
      return;
    }
    const pointer = pointerOf(open.map(({ token }) => token));
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

/** An open object or list with what the contract says of it. */
interface Known {
  container: Container;
  shape: Shape;
  /** Of a list's items, which are all alike. */
  items: Shape | undefined;
}

/** The shapes of what is open, kept from one hazard to the next: where there are many, most are in places alike. */
class ShapesOfOpen {
  readonly #known: Known[] = [];
  readonly #isOpen = new Map<Shape, Map<string | number, boolean>>();
  readonly #root: Shape;

  constructor(root: Shape) {
    this.#root = root;
  }

  /** Whether the contract leaves the value open that the innermost container has come to. */
  isOpenIn(open: readonly Container[]): boolean {
    const known = this.#known;
    while (known.length > 0 && known[known.length - 1]?.container !== open[known.length - 1]) known.pop();
    for (const container of open.slice(known.length)) {
      known.push({ container, shape: this.#shapeIn(known.at(-1)), items: undefined });
    }
    const innermost = known.at(-1);
    return innermost ? this.#isMemberOpen(innermost) : this.#root.isOpen;
  }

  /** Of an object or list in another. */
  #shapeIn(above: Known | undefined): Shape {
    if (!above) return this.#root;
    const { container, shape } = above;
    if (container.isObject) return shape.below(container.token, true);
    above.items ??= shape.below(container.token, true);
    return above.items;
  }

  #isMemberOpen({ container, shape }: Known): boolean {
    let members = this.#isOpen.get(shape);
    if (!members) {
      members = new Map();
      this.#isOpen.set(shape, members);
    }
    const member = container.isObject ? container.name : 0;
    let isOpen = members.get(member);
    if (isOpen === undefined) {
      isOpen = shape.below(member, false).isOpen;
      members.set(member, isOpen);
    }
    return isOpen;
  }
}
