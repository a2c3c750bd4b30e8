/** What a test suite imports: `patchgate/testing`. */

export { PatchgateError } from '../errors.ts';
export type { BuilderOptions } from './builders/blueprint.ts';
export { type ExampleOptions, example } from './builders/example.ts';
export {
  type GateFinding,
  type InvalidBodiesOptions,
  type InvalidBody,
  invalidBodies,
} from './builders/mutations.ts';
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
