import { tokensOf } from '../../src/json/pointer.ts';

type Container = Record<string, unknown>;

/** The value that a pointer leads to; it must be there. */
export function valueAt(body: unknown, pointer: string): unknown {
  return tokensOf(pointer).reduce((value, token) => {
    if (!Object.hasOwn(value as object, token)) throw new Error(`nothing at ${pointer}`);
    return (value as Container)[token];
  }, body);
}

/** A copy with another value at a pointer. */
export function withValue(body: unknown, pointer: string, value: unknown): unknown {
  const tokens = tokensOf(pointer);
  const last = tokens.pop();
  if (last === undefined) return value;
  const copy = structuredClone(body);
  (parentOf(copy, tokens) as Container)[last] = value;
  return copy;
}

/** A copy without the member at a pointer. */
export function without(body: unknown, pointer: string): unknown {
  const tokens = tokensOf(pointer);
  const last = tokens.pop() as string;
  const copy = structuredClone(body);
  delete (parentOf(copy, tokens) as Container)[last];
  return copy;
}

/** A copy in which the member at a pointer has another name. */
export function renamed(body: unknown, pointer: string, name: string): unknown {
  const parent = pointer.slice(0, pointer.lastIndexOf('/'));
  return withValue(without(body, pointer), `${parent}/${name}`, valueAt(body, pointer));
}

function parentOf(body: unknown, tokens: readonly string[]): unknown {
  return tokens.reduce((value, token) => (value as Container)[token], body);
}
