import type { JsonValue } from '../json/json.ts';
import type { SeveritySetting } from './finding.ts';

/**
 * The form of one path parameter. `integer`: canonical decimal. `int32`: that, within 32 bits. `integerOrKey`: that, or a
 * word that begins with a letter.
 */
export interface ParameterForm {
  type: 'integer' | 'int32' | 'integerOrKey' | 'string';
  /** The values of a `string`. */
  enum?: string[];
  /** A regular expression that a `string` matches. */
  pattern?: string;
  format?: 'uuid' | 'date' | 'date-time';
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
  /** Where the path begins, for every operation of the contract. Absent: below any prefix. */
  base?: string;
  /** The record that the operation changes: its kind, and which parameters name it. */
  record?: { kind: string; id?: string; account?: string };
  /** The body's schema: a file beside contract.json, or a place in one (`schemas.json#/$defs/User`). */
  schema?: string;
  /** In its place: a schema for each media type. */
  schemas?: Record<string, string>;
  /** The body may be left out. */
  body?: 'optional';
  /** Names of the semantic rules that apply, each optionally with its severity here. */
  rules: (string | { name: string; severity: SeveritySetting })[];
  /** Known-bad body and the finding that it must give; tried at each start. Absent: one is made from the schema. */
  canary?: { body: JsonValue; rule: string; pointer: string };
  /** A good body, and the id of a record that it may be sent to. */
  example?: { recordId?: string; body: JsonValue };
}

/** `schemas/contract.json`. */
export interface ContractFile {
  contractVersion: 1;
  /** Where the contract comes from, for people. */
  source: string;
  /** `/api/v2`: the operations' paths begin there. `/`: at the root. */
  base?: string;
  operations: Record<string, OperationEntry>;
}
