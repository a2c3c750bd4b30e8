import { isObject, type JsonObject } from '../../json/json.ts';
import { orHint } from '../with-hint.ts';
import { blueprintOf } from './blueprint.ts';
import type { BuilderOptions } from './builder-options.ts';
import { exampleOf, noExample } from './example-of.ts';

export interface ExampleOptions extends BuilderOptions {
  /** `required`: without the fields that may be left out. */
  only?: 'required' | undefined;
}

/**
 * A body that the gate has nothing to say of, with every field that the contract lists, as far as they can stand together:
 * `example('updateFeature')`. Each call makes a new one, and always the same.
 *
 * @param changes members that take the place of its own; `undefined` takes one away. They are not looked at, so that a test can
 *   send what it likes
 * @throws PatchgateError `bad-usage` where the contract has no such operation, `bad-contract` where no body could be made
 */
export function example<Body = JsonObject>(
  operation: string,
  changes: object = {},
  options: ExampleOptions = {},
): Body {
  const body = orHint(() => objectOf(operation, options));
  const members = Object.entries({ ...body, ...changes }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as Body;
}

function objectOf(operation: string, options: ExampleOptions): JsonObject {
  const body = exampleOf(blueprintOf(operation, options, true), options.only === 'required');
  if (isObject(body)) return body;
  throw noExample(operation, 'it is no object');
}
