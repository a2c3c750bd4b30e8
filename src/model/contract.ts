import type { JsonValue } from '../json/json.ts';
import type { SeveritySetting } from './finding.ts';

/** The form of one path parameter. `integer`: canonical decimal. `int32`: that, within 32 bits. */
export interface ParameterForm {
  type: 'integer' | 'int32' | 'string';
  /** Words that are taken as well: `["current"]`. */
  keywords?: string[];
  source?: string;
}

/** One entry of `schemas/contract.json`: a method and path template with its schema and rules. */
export interface OperationEntry {
  method: string;
  /** `/accounts/{account_id}/projects/{project_id}`, relative to the service's base address. */
  path: string;
  parameters: Record<string, ParameterForm>;
  /** The record that the operation changes: its kind, and which parameters name it. */
  record: { kind: string; id: string; account?: string };
  /** File name of the body's schema, beside contract.json. */
  schema: string;
  /** Names of the semantic rules that apply, each optionally with a severity of its own. */
  rules: (string | { name: string; severity: SeveritySetting })[];
  /** Known-bad body and the finding that it must give; tried at each start. */
  canary: { body: JsonValue; rule: string; pointer: string };
  /** A good body, and the id of a record that it may be sent to. */
  example?: { recordId?: string; body: JsonValue };
}

/** `schemas/contract.json`. */
export interface ContractFile {
  contractVersion: 1;
  /** Where the contract comes from, for people. */
  source: string;
  operations: Record<string, OperationEntry>;
}
