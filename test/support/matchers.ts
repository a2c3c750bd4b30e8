/** Gives `expect` the matchers, with their types, as docs/node-library.md shows it. */
import { expect } from 'vitest';
import { type GateAssertions, gateMatchers } from '../../src/testing/index.ts';

expect.extend(await gateMatchers());

declare module 'vitest' {
  interface Assertion<T> extends GateAssertions<void> {}
  interface AsymmetricMatchersContaining extends GateAssertions<unknown> {}
}
