/** `patchgate/vitest`: in `setupFiles`, it gives `expect` the matchers, with the settings of the project's own config file. */
// Stays in the types: what is declared below must find vitest's own, in whatever order they are imported.
import 'vitest';
import { expect } from 'vitest';
import type { GateAssertions } from './matchers/assertions.ts';
import { gateMatchers } from './matchers/gate-matchers.ts';

expect.extend(await gateMatchers());

declare module 'vitest' {
  // `Matchers` would do for both, but only from 3.2 on.
  interface Assertion<T> extends GateAssertions<void> {}
  interface AsymmetricMatchersContaining extends GateAssertions<unknown> {}
}
