import { PatchgateError } from '../../errors.ts';
import { isObject, type JsonValue, member } from '../../json/json.ts';
import { pointerOf, tokensOf } from '../../json/pointer.ts';
import type { Finding } from '../../model/finding.ts';
import { edited, type Path } from '../edited.ts';
import type { Blueprint } from './blueprint.ts';
import { exampleValue } from './example-value.ts';

/** @param isMinimal without what may be left out. @throws PatchgateError `bad-contract` where no body could be made */
export function exampleOf(blueprint: Blueprint, isMinimal = false): JsonValue {
  const { operation, reader, parts, fitted, objections, mended } = blueprint;
  const stuck: { at?: Path } = {};
  const raw = exampleValue(reader, parts, isMinimal, stuck);
  if (raw === undefined) {
    const place = pointerOf(stuck.at ?? []) || 'the body';
    throw noExample(operation, `its schema takes no value of ${place} that could be thought of`);
  }
  const first = () => 0;
  const body = fitted(raw, first);
  const found = objections(body);
  if (found.length === 0) return body;
  const better = mended(body, found, first);
  const left = objections(better);
  const [wrong] = left;
  if (!wrong) return better;
  const shorter = shortened(better, left, objections);
  if (shorter === undefined) throw noExample(operation, wrong.message);
  return shorter;
}

/** Without the members that keep a body from being good: some may not stand together. */
function shortened(
  body: JsonValue,
  found: readonly Finding[],
  objections: Blueprint['objections'],
): JsonValue | undefined {
  const [wrong] = found;
  if (!wrong) return body;
  for (const shorter of withOneLess(body, wrong.pointer)) {
    const left = objections(shorter);
    if (left.length < found.length) return shortened(shorter, left, objections);
  }
  return undefined;
}

/** Bodies without something at a place: what stands in it, the place itself, what it stands in. */
function* withOneLess(body: JsonValue, pointer: string): Iterable<JsonValue> {
  const path = tokensOf(pointer);
  const value = path.reduce<JsonValue | undefined>(inner, body);
  if (isObject(value))
    for (const name of Object.keys(value).reverse()) yield edited(body, [...path, name], undefined);
  for (let length = value === undefined ? path.length - 1 : path.length; length > 0; length--)
    yield edited(body, path.slice(0, length), undefined);
}

function inner(value: JsonValue | undefined, token: string): JsonValue | undefined {
  return Array.isArray(value) ? value[Number(token)] : member(value, token);
}

export function noExample(operation: string, why: string): PatchgateError {
  return new PatchgateError('bad-contract', `no example of ${operation} could be made: ${why}`, {
    hint: 'give its schema "examples" where the value stands, or the rule an example that passes',
  });
}
