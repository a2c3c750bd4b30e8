import type { AnySchemaObject } from 'ajv/dist/2020.js';
import { tokensOf } from '../model/pointer.ts';
import type { Hazard } from '../model/scan-json.ts';

/**
 * Whether a schema says nothing of the shape of the value at a path: its subschema there has no type (the contract
 * leaves it open), or there is none (a field that it does not list).
 */
export function leavesOpen(
  schema: AnySchemaObject,
  path: Hazard['path'],
  schemas: ReadonlyMap<string, AnySchemaObject>,
): boolean {
  let document = schema;
  let at: unknown = schema;
  const resolve = () => {
    // A chain of references ends: a circle of nothing but references does not compile.
    for (let reference = refOf(at); reference !== undefined; reference = refOf(at)) {
      const [file = '', fragment = ''] = reference.split('#');
      if (file !== '') document = schemas.get(file) ?? {};
      at = tokensOf(fragment).reduce<unknown>(memberOf, document);
    }
  };
  for (const [index, token] of path.entries()) {
    resolve();
    at = step(at, String(token), index < path.length - 1);
    if (at === undefined) return true;
  }
  resolve();
  return typeof memberOf(at, 'type') === 'undefined' && memberOf(at, 'enum') === undefined;
}

/** @param isContainer whether the value at the token is an object or list */
function step(schema: unknown, token: string, isContainer: boolean): unknown {
  return memberOf(memberOf(schema, 'properties'), token) ?? memberOf(schema, 'items') ?? further();

  /** `if` an object, `then` …: of anything else it says nothing. */
  function further(): unknown {
    const any = memberOf(schema, 'additionalProperties');
    if (memberOf(any, 'if') !== undefined) return isContainer ? memberOf(any, 'then') : undefined;
    return typeof any === 'object' ? any : undefined;
  }
}

function refOf(schema: unknown): string | undefined {
  const reference = memberOf(schema, '$ref');
  return typeof reference === 'string' ? reference : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
