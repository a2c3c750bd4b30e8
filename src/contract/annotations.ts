import type { AnySchema, AnySchemaObject } from 'ajv/dist/2020.js';
import type { Basis, Severity } from '../model/finding.ts';

/** What a schema file says of one of its subschemas beyond JSON Schema. */
export interface Annotation {
  basis: Basis;
  severity: Severity | undefined;
  /** Its own, or that of what it stands in. */
  source: string | undefined;
  hint: string | undefined;
}

const NONE: Annotation = { basis: 'stated', severity: undefined, source: undefined, hint: undefined };

/** Looks annotations up by the subschema itself: the objects that were given here are those that errors name. */
export function annotationsOf(schemas: Iterable<AnySchema>): (subschema: AnySchemaObject) => Annotation {
  const known = new WeakMap<object, Annotation>();
  const visit = (value: unknown, inherited: string | undefined) => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(item, inherited);
      return;
    }
    const { basis, severity, source, hint } = value as Partial<Annotation>;
    // `properties` may hold a field that is called "source": only texts are annotations.
    const own = typeof source === 'string' ? source : inherited;
    known.set(value, {
      basis: typeof basis === 'string' ? basis : 'stated',
      severity: typeof severity === 'string' ? severity : undefined,
      source: own,
      hint: typeof hint === 'string' ? hint : undefined,
    });
    for (const inner of Object.values(value)) visit(inner, own);
  };
  for (const schema of schemas) visit(schema, undefined);
  return (subschema) => known.get(subschema) ?? NONE;
}
