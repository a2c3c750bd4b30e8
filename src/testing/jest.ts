/** `patchgate/jest`: in `setupFilesAfterEnv`, it gives `expect` the matchers, with the settings of the project's own config file. */
import { beforeAll, expect } from '@jest/globals';
import type { GateAssertions } from './matchers/assertions.ts';
import { matchersOf } from './matchers/gate-matchers.ts';
import { Judge } from './matchers/judge.ts';

let judge: Judge | undefined;

// CommonJS knows no top-level await.
beforeAll(async () => {
  judge = await Judge.of({});
});

expect.extend(
  matchersOf(() => {
    if (judge) return judge;
    throw new Error(
      'the matchers of patchgate/jest judge within tests and hooks, not while tests are collected',
    );
  }),
);

declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: as Jest declares it, or the two do not merge.
    interface Matchers<R, T = {}> extends GateAssertions<R> {}
    interface Expect extends GateAssertions<unknown> {}
    interface InverseAsymmetricMatchers extends GateAssertions<unknown> {}
  }
}

// For tests that import `expect` from @jest/globals: a package of Jest's own, which need not be in reach of this one.
// biome-ignore lint/suspicious/noTsIgnore: where it is, there is no error.
/** @ts-ignore */
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends GateAssertions<R> {}
  interface AsymmetricMatchers extends GateAssertions<unknown> {}
}
