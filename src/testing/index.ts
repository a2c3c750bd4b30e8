/** What a test suite imports: `patchgate/testing`. */

export { PatchgateError } from '../errors.ts';
export type { ExchangeFilter } from '../server/exchange-list.ts';
export type { ShownExchange } from '../server/show-exchange.ts';
export type { MissedRequest } from '../upstreams/replay/misses.ts';
export type * from './assertions.ts';
export { example, type GateFinding, type InvalidBody, invalidBodies } from './bodies.ts';
export {
  type Asked,
  type FakeOptions,
  startFake,
  startProxy,
  startReplay,
  type TestGate,
  type TestGateOptions,
  type TestSession,
} from './gate.ts';
export { type GateMatchers, gateMatchers } from './matchers.ts';
export { type NamedTest, recordingName } from './recording-name.ts';
export { type Fixtures, testRule } from './test-rule.ts';
