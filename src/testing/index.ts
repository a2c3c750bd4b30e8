/** What a test suite imports: `patchgate/testing`. */

export { PatchgateError } from '../errors.ts';
export type {
  ExpectedDeletions,
  ExpectedExchange,
  ExpectedFinding,
  GateAssertions,
  JudgedWith,
  PassOptions,
} from './assertions.ts';
export { example, type GateFinding, type InvalidBody, invalidBodies } from './bodies.ts';
export { type GateMatchers, gateMatchers } from './matchers.ts';
export { type NamedTest, recordingName } from './recording-name.ts';
export {
  type FakeOptions,
  startFake,
  startProxy,
  startReplay,
  type TestGateOptions,
} from './start.ts';
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
export { type Fixtures, testRule } from './test-rule.ts';
