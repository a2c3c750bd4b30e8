import type { JsonObject, JsonValue } from '../../json/json.ts';

/** A subschema, with the file that it is in. */
export interface Part {
  document: unknown;
  at: unknown;
}

/** Said of a value that can only be an object. */
export const AN_OBJECT: Part = { document: undefined, at: { type: 'object' } };

export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** `number`: one with a fraction, or any number where `integer` stands beside it. */
export const ALL_TYPES: readonly TypeName[] = [
  ...(['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'] as const),
];

/** Keywords of which several can hold at once; the strictest counts. */
export const BOUNDS = {
  minLength: Math.max,
  maxLength: Math.min,
  minItems: Math.max,
  maxItems: Math.min,
  minProperties: Math.max,
  maxProperties: Math.min,
  minimum: Math.max,
  maximum: Math.min,
  exclusiveMinimum: Math.max,
  exclusiveMaximum: Math.min,
  multipleOf: Math.max,
} as const;
export type Bound = keyof typeof BOUNDS;

/** One way in which a value can be as the contract wants it: all that the subschemas of its place say together. */
export interface Form {
  types: readonly TypeName[];
  /** Nothing is said of the value at all. */
  isOpen: boolean;
  /** The only values. */
  values: readonly JsonValue[] | undefined;
  /** Values that it must not be. */
  not: readonly JsonValue[];
  /** Those that the schema shows. */
  examples: readonly JsonValue[];
  bounds: Readonly<Partial<Record<Bound, number>>>;
  patterns: readonly string[];
  formats: readonly string[];
  isUnique: boolean;
  /** Of an object's listed members. */
  properties: ReadonlyMap<string, readonly Part[]>;
  required: ReadonlySet<string>;
  /** Whether it takes members that are not listed; `objects`: only such as hold one. */
  further: 'any' | 'objects' | 'none';
  /** What is said of those. */
  additional: readonly Part[];
  /** Of a list's items. */
  items: readonly Part[];
  /** The subschemas that say all this, each once. */
  from: readonly unknown[];
}

export const OPEN_FORM: Form = {
  types: ALL_TYPES,
  isOpen: true,
  values: undefined,
  not: [],
  examples: [],
  bounds: {},
  patterns: [],
  formats: [],
  isUnique: false,
  properties: new Map(),
  required: new Set(),
  further: 'any',
  additional: [],
  items: [],
  from: [],
};

/** A text of each standard format, for bodies that are made of a schema. */
export const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  time: '12:00:00Z',
  'date-time': '2026-01-31T12:00:00Z',
  'iso-time': '12:00:00',
  'iso-date-time': '2026-01-31T12:00:00',
  duration: 'P1DT12H',
  uri: 'https://www.example.com/',
  'uri-reference': '/a',
  'uri-template': 'https://www.example.com/{id}',
  iri: 'https://www.example.com/',
  'iri-reference': '/a',
  email: 'ana@example.com',
  'idn-email': 'ana@example.com',
  hostname: 'www.example.com',
  'idn-hostname': 'www.example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '00000000-0000-4000-8000-000000000000',
  regex: '^[a-z]+$',
  'json-pointer': '/a',
  'json-pointer-uri-fragment': '#/a',
  'relative-json-pointer': '0/a',
  byte: 'YWJj',
};

/** The least and the greatest number that the bounds take; of multiples, in multiples. */
export function rangeOf({ bounds }: Form, isInteger: boolean): { least: number; most: number; step: number } {
  const { exclusiveMinimum: over, exclusiveMaximum: under } = bounds;
  const step = bounds.multipleOf ?? (isInteger ? 1 : 0);
  const apart = (bound: number) => Math.max(1, Math.abs(bound)) * 1e-9;
  let least = bounds.minimum ?? -Infinity;
  let most = bounds.maximum ?? Infinity;
  if (step > 0) {
    least = Math.ceil(least / step);
    most = Math.floor(most / step);
  }
  if (over !== undefined)
    least = Math.max(least, step > 0 ? Math.floor(over / step) + 1 : over + apart(over));
  if (under !== undefined)
    most = Math.min(most, step > 0 ? Math.ceil(under / step) - 1 : under - apart(under));
  return { least, most, step };
}

/** A copy that nobody else holds. */
export function copyOf<Value extends JsonValue | undefined>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as Value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) copy[name] = copyOf(value[name] as JsonValue);
  return copy as Value;
}
