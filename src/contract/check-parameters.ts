import type { OperationEntry } from '../model/contract.ts';
import type { Finding } from '../model/finding.ts';
import { requestFinding } from './request-rules.ts';

const NONE: readonly Finding[] = [];

/** Whether the parameters of a path have the forms that the operation gives them. */
export function checkParameters(
  entry: OperationEntry,
  parameters: Readonly<Record<string, string>>,
): readonly Finding[] {
  let findings: Finding[] | undefined;
  for (const name in entry.parameters) {
    const form = entry.parameters[name] as OperationEntry['parameters'][string];
    const value = parameters[name] as string;
    if (form.type === 'string' || form.keywords?.includes(value)) continue;
    if (isInteger(value) && (form.type === 'integer' || isInt32(value))) continue;
    const words = form.keywords ? `${form.keywords.map((word) => `"${word}"`).join(', ')} or ` : '';
    const kind = form.type === 'int32' ? 'a 32-bit integer' : 'an integer';
    const shown = JSON.stringify(value.slice(0, 80));
    findings ??= [];
    findings.push(
      requestFinding('request.path-parameter', `${name} in the path must be ${words}${kind}, not ${shown}`, {
        hint: 'write it in decimal, without leading zeros or a plus sign',
        ...(form.source === undefined ? {} : { source: form.source }),
      }),
    );
  }
  return findings ?? NONE;
}

/** Canonical decimal: one way to write each number, so that every server reads the same one. */
function isInteger(value: string): boolean {
  return /^(?:0|-?[1-9][0-9]*)$/.test(value);
}

function isInt32(decimal: string): boolean {
  return decimal.length <= 11 && Number(decimal) === (Number(decimal) | 0);
}
