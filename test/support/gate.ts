import { fileURLToPath } from 'node:url';
import type { Contract } from '../../src/contract/contract.ts';
import { shippedContract as findShippedContract } from '../../src/contract/shipped-contract.ts';
import {
  createGate,
  type Gate,
  type GateOptions,
  type GateRequest,
  type Inspection,
} from '../../src/gate/gate.ts';
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

/** A gate of which tests look at what it says of a request: not at the warning that nothing is known of each project. */
export function gate({ severities, overrides = [], ...options }: TestGateOptions = {}): Gate {
  const all = severities ? [{ rules: severities }, ...overrides] : overrides;
  const whole = createGate(shippedContract(), { ...PROXY_DEFAULTS, ...options, overrides: all });
  const quiet = (inspection: Inspection): Inspection => {
    const { findings } = inspection.verdict;
    const others = findings.filter(
      ({ rule, severity }) => rule !== 'project.state-unknown' || severity === 'error',
    );
    return { ...inspection, verdict: { ...inspection.verdict, findings: others } };
  };
  return {
    ...whole,
    inspect: (...given) => quiet(whole.inspect(...given)),
  };
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
