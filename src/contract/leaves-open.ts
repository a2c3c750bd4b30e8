import type { AnySchemaObject } from 'ajv/dist/2020.js';
import { tokensOf } from '../model/pointer.ts';

/**
 * Whether a schema says nothing of the shape of the value at a pointer: its subschema there has no type (the contract
 * leaves it open), or there is none (a field that it does not list).
 */
export function leavesOpen(
  schema: AnySchemaObject,
  pointer: string,
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
  for (const token of tokensOf(pointer)) {
    resolve();
    at = step(at, token);
    if (at === undefined) return true;
  }
  resolve();
  return typeof memberOf(at, 'type') === 'undefined' && memberOf(at, 'enum') === undefined;
}

function step(schema: unknown, token: string): unknown {
  return (
    memberOf(memberOf(schema, 'properties'), token) ??
    memberOf(schema, 'items') ??
    memberOf(memberOf(schema, 'additionalProperties'), 'then')
  );
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
