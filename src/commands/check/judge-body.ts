import { PatchgateError } from '../../errors.ts';
import type { Gate, Inspection } from '../../gate.ts';
import { type CheckedFile, type PlacedFinding, subjectOf } from '../../reporters/report.ts';
import type { Beforehand } from './beforehand.ts';
import type { Input } from './read-input.ts';
import { TextLines } from './text-lines.ts';

/** What a body is judged as: an operation's, or that of a PATCH to a path. Nothing is guessed. */
export interface JudgedAs {
  operation: string | undefined;
  path: string | undefined;
}

/**
 * Judges a body by itself. Several that are given are no history: nobody says that they are sent one after the other.
 *
 * @throws PatchgateError `bad-usage` where nothing says which operation the body is for
 */
export function judgeBody(
  gate: Gate,
  { name, bytes }: Input,
  as: JudgedAs,
  beforehand: Beforehand,
): CheckedFile {
  const { verdict } = inspect(gate, name, bytes, as, beforehand);
  const lines = new TextLines(bytes.toString('utf8'));
  const findings = verdict.findings.map((finding): PlacedFinding => {
    const { line, column } = finding;
    if (line === undefined || column === undefined) return finding;
    return { ...finding, excerpt: lines.excerptAt({ line, column }) };
  });
  const sent = as.path === undefined ? {} : { method: 'PATCH', path: as.path };
  const subject = { ...subjectOf({ pointer: '', ...sent }, verdict), findings };
  return { file: name, kind: 'body', subjects: [subject], unjudged: 0 };
}

function inspect(
  gate: Gate,
  name: string,
  bytes: Buffer,
  { operation, path }: JudgedAs,
  beforehand: Beforehand,
): Inspection {
  const operations = gate.operations.join(', ');
  if (path !== undefined) {
    const head = { method: 'PATCH', url: path, headers: ['content-type', 'application/json'] };
    const match = gate.match(head);
    if (!match) {
      throw new PatchgateError('bad-usage', `no operation of the contract is a PATCH of ${path}`, {
        hint: `give a path like /accounts/current/projects/42, or --operation with one of: ${operations}`,
      });
    }
    const record = gate.recordOf(match);
    const known = record && beforehand.stateOf(record).of(record);
    return gate.inspect({ ...head, body: bytes }, match, { known });
  }
  if (operation === undefined) {
    throw new PatchgateError('bad-usage', `nothing says which operation the body ${name} is for`, {
      hint: `give --operation with one of: ${operations}; or --path, as in --path /accounts/current/projects/42`,
    });
  }
  return gate.inspectBody(operation, bytes);
}
