import { PatchgateError } from '../../errors.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Blueprint } from './blueprint.ts';
import { exampleValue } from './example-value.ts';

/** @param isMinimal without what may be left out. @throws PatchgateError `bad-contract` where no body could be made */
export function exampleOf(blueprint: Blueprint, isMinimal = false): JsonValue {
  const { operation, reader, parts, fitted, objections, mended } = blueprint;
  const raw = exampleValue(reader, parts, isMinimal);
  if (raw === undefined) throw noExample(operation, 'its schema takes no value that could be thought of');
  const first = () => 0;
  const body = fitted(raw, first);
  const found = objections(body);
  if (found.length === 0) return body;
  const better = mended(body, found, first);
  const [wrong] = objections(better);
  if (wrong) throw noExample(operation, wrong.message);
  return better;
}

export function noExample(operation: string, why: string): PatchgateError {
  return new PatchgateError('bad-contract', `no example of ${operation} could be made: ${why}`, {
    hint: 'give its schema "examples" where the value stands, or the rule an example that passes',
  });
}
