import { describe, expectTypeOf, it } from 'vitest';
import type {} from '../../src/testing/jest.ts';
import type { GateAssertions } from '../../src/testing/matchers/assertions.ts';

describe("Jest's own types", () => {
  it('have the matchers', () => {
    expectTypeOf<jest.Matchers<void, object>>().toExtend<GateAssertions<void>>();
    expectTypeOf<jest.Matchers<Promise<void>, object>['toPassGate']>().returns.toEqualTypeOf<Promise<void>>();
    expectTypeOf<jest.Expect>().toExtend<GateAssertions<unknown>>();
  });
});
