import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { Severity } from '../../model/finding.ts';

/** What a finding of the gate is told by. */
export interface GateFinding {
  rule: string;
  severity: Severity;
  /** JSON Pointer of the place in the body; `""` for the request's own. */
  pointer: string;
}

/** A request with something wrong in it, and what the gate says of that. */
export interface InvalidBody {
  /** What is wrong; no other one of the operation has this name: `/languages is missing` */
  name: string;
  operation: string;
  method: string;
  /** From what the base URL ends with: `/accounts/current/projects/42` */
  path: string;
  /** Id of the record, as it stands in the path. */
  id: string;
  headers: Readonly<Record<string, string>>;
  /** For a client that writes JSON and headers itself; absent where it is these that are wrong: duplicate names, a wrong type. */
  body?: JsonValue;
  /** What is sent, byte by byte in UTF-8. */
  text: string;
  /** What the record was before: without knowing that, the gate has nothing to say. */
  state?: JsonObject;
  /** What this is about. */
  finding: GateFinding;
  /** All that the gate finds, nearly always that alone. */
  findings: readonly GateFinding[];
  /** Of the gate's answer; absent where it lets the request pass, with warnings. */
  status?: number;
}

/** What is wrong with a request, before the gate was asked. */
export interface Slip extends Partial<Pick<InvalidBody, 'id' | 'headers' | 'body' | 'text' | 'state'>> {
  name: string;
  /** What must be found, what it is about first. */
  expected: readonly Omit<GateFinding, 'severity'>[];
}
