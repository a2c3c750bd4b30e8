/** What a test suite imports: `patchgate/testing`. */
export { fake, proxy, replay, type TestGateOptions } from './start.ts';
export type { TestGate } from './test-gate.ts';
export { type Fixtures, testRule } from './test-rule.ts';
