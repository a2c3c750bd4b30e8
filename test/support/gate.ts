import { fileURLToPath } from 'node:url';
import type { Contract } from '../../src/contract/contract.ts';
import { shippedContract as findShippedContract } from '../../src/contract/shipped-contract.ts';
import { createGate, type Gate, type GateOptions, type GateRequest } from '../../src/gate/gate.ts';
import { FileApprovals } from '../../src/guard/file-approvals.ts';
import { createGuard } from '../../src/guard/guard.ts';
import type { Finding } from '../../src/model/finding.ts';
import type { SeverityOverride } from '../../src/model/severity-override.ts';

export const SCHEMAS = fileURLToPath(new URL('../../schemas/', import.meta.url));

/** What `patchgate proxy` judges with where nobody says anything else. */
export const PROXY_DEFAULTS: GateOptions = {
  validation: 'enforce',
  guard: 'on',
  bodyLimit: 5 * 1024 * 1024,
};

let contract: Contract | undefined;

/** The contract that the product ships, read once. */
export function shippedContract(): Contract {
  contract ??= findShippedContract(SCHEMAS) as Contract;
  return contract;
}

export interface TestGateOptions extends Partial<GateOptions> {
  /** By rule, for all requests. */
  severities?: SeverityOverride['rules'];
}

export function gate({ severities, overrides = [], ...options }: TestGateOptions = {}): Gate {
  const all = severities ? [{ rules: severities }, ...overrides] : overrides;
  return createGate(shippedContract(), { ...PROXY_DEFAULTS, ...options, overrides: all });
}

/** The gate with a guard that knows nothing, for a data path. */
export function guarding(gate: Gate) {
  const knowledge = { of: () => undefined };
  const approvals = new FileApprovals({ lifetime: 0 });
  return { gate, guard: createGuard({ gate, knowledge, approvals, mode: 'off' }), learner: undefined };
}

export const PROJECT_URL = '/api/v2/accounts/current/projects/42';
export const FEATURE_URL = '/api/v2/accounts/current/features/7';
export const DRAFT_URL = '/api/v2/accounts/current/drafts/1001';

/** A PATCH in JSON; a body that is neither text nor bytes is written as JSON. */
export function patch(
  url: string,
  body: unknown,
  headers: readonly string[] = ['content-type', 'application/json'],
): GateRequest {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  return {
    method: 'PATCH',
    url,
    headers,
    body: Buffer.from(isRaw ? (body as string) : JSON.stringify(body)),
  };
}

/** `schema.type error /name`: what most tests look at. */
export function brief(findings: readonly Finding[]): string[] {
  return findings.map(({ rule, severity, pointer }) => `${rule} ${severity} ${pointer}`.trim());
}
