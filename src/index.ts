/** What a program of one's own may use. */
export { loadContract } from './contract/load-contract.ts';
export { createGate, type Gate, type GateOptions, type GateRequest, type Inspection } from './gate.ts';
export type { Finding, Verdict } from './model/finding.ts';
