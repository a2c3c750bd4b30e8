import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import type { JsonValue } from '../../json/json.ts';
import type { Finding, Verdict } from '../../model/finding.ts';
import type { Known, RecordName } from '../../model/record.ts';
import { visible } from '../../reporters/wording.ts';
import type { BytesInput } from '../check/inputs/read-input.ts';

/** A body as that of a PATCH of one project. */
export interface ProjectPatch {
  /** The project, as the gate names it. */
  name: RecordName;
  json: JsonValue;
  /** What the gate says of it, but for what it loses: that is taken for approved. With all effects, and not the first of them. */
  against(known: Known | undefined): Pick<Verdict, 'findings' | 'effects'>;
}

/**
 * @param path of the project
 * @throws PatchgateError `bad-usage` where the contract has no such PATCH, `bad-input` where the body is none that all readers
 *   understand alike
 */
export function readBody(
  gate: Gate,
  path: string,
  { name: file, path: input, bytes }: BytesInput,
): ProjectPatch {
  const head = { method: 'PATCH', url: path, headers: ['content-type', 'application/json'] };
  const match = gate.match(head);
  const name = match && gate.recordOf(match);
  if (name?.kind !== 'project') {
    throw new PatchgateError('bad-usage', `by the contract, a PATCH of ${path} changes no project`, {
      hint: 'plan needs an operation with the path /accounts/{account_id}/projects/{project_id}',
    });
  }
  const inspect = (known: Known | undefined) =>
    gate.inspect({ ...head, body: bytes }, match, { known, approval: 'approved', file: input });
  const { verdict, json } = inspect(undefined);
  const unclear = verdict.findings.find(isOfReading);
  if (unclear || json === undefined) throw unreadable(file, unclear);
  const against = (known: Known | undefined) => {
    const { verdict, effects } = inspect(known);
    return { findings: verdict.findings, ...(effects && { effects }) };
  };
  return { name, json, against };
}

function isOfReading({ rule, severity }: Finding): boolean {
  return severity === 'error' && rule.startsWith('request.');
}

function unreadable(file: string, finding: Finding | undefined): PatchgateError {
  const { line, column = 1, message = 'it cannot be read', hint } = finding ?? {};
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return new PatchgateError('bad-input', visible(`${place}: ${message}`), hint === undefined ? {} : { hint });
}
