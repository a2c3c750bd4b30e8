/** What a test suite imports: `patchgate/testing`. */

export { PatchgateError } from '../errors.ts';
export { example, type GateFinding, type InvalidBody, invalidBodies } from './bodies.ts';
export type {
  ExpectedDeletions,
  ExpectedExchange,
  ExpectedFinding,
  GateAssertions,
  JudgedWith,
  PassOptions,
} from './matchers/assertions.ts';
export { type GateMatchers, gateMatchers } from './matchers/gate-matchers.ts';
export { recordingName } from './recording-name.ts';
export { type FakeOptions, type FakeSeed, fake, proxy, replay, type TestGateOptions } from './start.ts';
export type {
  ExchangeFilter,
  FakeGate,
  FakeRecords,
  FakeSession,
  FaultSettings,
  MissedRequest,
  ShownExchange,
  TestGate,
  TestSession,
} from './test-gate.ts';
export type { NamedTest } from './test-names.ts';
export { type Fixtures, testRule } from './test-rule.ts';
