import { type Part, partAt } from '../../contract/schema-shape.ts';
import { canonical } from '../../json/canonical.ts';
import { isObject, type JsonObject, type JsonValue, listAt, member } from '../../json/json.ts';

export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** `number`: one with a fraction, or any number where `integer` stands beside it. */
const ALL_TYPES: readonly TypeName[] = 'object array string integer number boolean null'.split(
  ' ',
) as TypeName[];

/** Keywords of which several can hold at once; the strictest counts. */
const BOUNDS = {
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
type Bound = keyof typeof BOUNDS;

/** One way in which a value can be as the contract wants it: all that the subschemas of its place say together. */
export interface Form {
  types: readonly TypeName[];
  /** Nothing is said of the value at all. */
  isOpen: boolean;
  /** The only values. */
  values: readonly JsonValue[] | undefined;
  excluded: readonly JsonValue[];
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
  /** Of members that are not listed. */
  additional: readonly Part[];
  /** Of a list's items. */
  items: readonly Part[];
  /** The subschemas that say all this, each once. */
  from: readonly unknown[];
}

const OPEN_FORM: Form = {
  ...{ types: ALL_TYPES, isOpen: true, values: undefined, excluded: [], examples: [] },
  ...{ bounds: {}, patterns: [], formats: [], isUnique: false },
  ...{ properties: new Map(), required: new Set(), further: 'any', additional: [], items: [], from: [] },
};

/** Each further `anyOf` or `if` multiplies the forms of a place. */
const MAX_FORMS = 16;

/** The ways in which a value can be as some subschemas say. None: no value can. */
export type FormReader = (parts: readonly Part[]) => readonly Form[];

/**
 * Reads what 2020-12 and the contract's own keywords say of a single value and its members. Other keywords (`not`, `contains`,
 * `patternProperties`, …) are left to the gate, which judges each body in the end.
 *
 * @param schemas of the contract by file, for references
 * @param isStrict whether what only warns counts as well: `observed`, and subschemas of severity `warn`
 */
export function formReader(schemas: ReadonlyMap<string, unknown>, isStrict: boolean): FormReader {
  const expand = (
    forms: readonly Form[],
    { document, at }: Part,
    above: readonly unknown[] = [],
  ): readonly Form[] => {
    if (at === false) return [];
    if (!isObject(at) || above.includes(at) || (!isStrict && at.severity === 'warn')) return forms;
    const within = [...above, at];
    const and = (some: readonly Form[], further: unknown) => expand(some, { document, at: further }, within);
    let all: readonly Form[] = forms
      .map((form) => narrowed(form, { document, at }, isStrict))
      .filter(isPossible);
    if (typeof at.$ref === 'string') all = expand(all, partAt(at.$ref, document, schemas), within);
    for (const further of listAt(at, 'allOf')) all = and(all, further);
    if (isStrict) all = and(all, at.observed);
    for (const branches of [listAt(at, 'anyOf'), listAt(at, 'oneOf')]) {
      const some = all;
      if (branches.length > 0) all = branches.flatMap((branch) => and(some, branch));
    }
    if (at.if !== undefined) {
      const unless = negated(at.if);
      all = [...and(and(all, at.if), at.then), ...(unless ? and(and(all, unless), at.else) : [])];
    }
    return all.slice(0, MAX_FORMS);
  };
  return (parts) =>
    parts.reduce<readonly Form[]>((forms, part) => expand(forms, part), [OPEN_FORM]).filter(isPossible);
}

/** What must hold where a condition does not: of the simple ones, which ask for a member's value or for a type. */
function negated(condition: JsonValue): JsonObject | undefined {
  if (!isObject(condition)) return undefined;
  const { required: _, ...rest } = condition;
  const [[keyword, said] = [], ...others] = Object.entries(rest);
  if (others.length > 0) return undefined;
  if (keyword === 'type') return { type: ALL_TYPES.filter((type) => !typesOf(said).includes(type)) };
  const [[name, schema] = [], ...more] =
    keyword === 'properties' && isObject(said) ? Object.entries(said) : [];
  const excluded = valuesOf(schema);
  return name !== undefined && excluded && more.length === 0
    ? { required: [name], properties: { [name]: { excluded: [...excluded] } } }
    : undefined;
}

const SAYING = ['type', 'enum', 'const', 'properties', 'items', 'required', 'format', 'pattern', 'excluded'];
const INT32: JsonObject = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** A form with what the keywords of one subschema say as well; those that combine others are the reader's. */
function narrowed(form: Form, { document, at }: Part, isStrict: boolean): Form {
  const schema = at as JsonObject;
  const part = (inner: unknown): Part => ({ document, at: inner });
  const values = valuesOf(schema);
  const properties = new Map(form.properties);
  if (isObject(schema.properties))
    for (const [name, inner] of Object.entries(schema.properties))
      properties.set(name, [...(properties.get(name) ?? []), part(inner)]);
  const bounds: Partial<Record<Bound, number>> = { ...form.bounds };
  for (const said of schema.format === 'int32' ? [schema, INT32] : [schema])
    for (const name of Object.keys(BOUNDS) as Bound[]) {
      const bound = said[name];
      if (typeof bound === 'number') bounds[name] = BOUNDS[name](bound, bounds[name] ?? bound);
    }
  const { additionalProperties: additional } = schema;
  const takes = isStrict ? schema.furtherFields : undefined;
  const isClosed = takes === 'none' || additional === false || schema.unevaluatedProperties === false;
  const shown = schema.example ?? schema.default;
  const ownExamples = schema.examples ?? (shown === undefined ? [] : [shown]);
  return {
    types:
      schema.type === undefined
        ? form.types
        : form.types.filter((type) => typesOf(schema.type).includes(type)),
    isOpen: form.isOpen && !SAYING.some((keyword) => schema[keyword] !== undefined),
    values:
      values && form.values ? values.filter((one) => isAmong(one, form.values)) : (values ?? form.values),
    excluded: [...form.excluded, ...listAt(schema, 'excluded')],
    // The innermost that says something counts: a reference is read after what it stands beside.
    examples: form.examples.length > 0 || !Array.isArray(ownExamples) ? form.examples : ownExamples,
    bounds,
    patterns: typeof schema.pattern === 'string' ? [...form.patterns, schema.pattern] : form.patterns,
    formats: typeof schema.format === 'string' ? [...form.formats, schema.format] : form.formats,
    isUnique: form.isUnique || schema.uniqueItems === true,
    properties,
    required: new Set([...form.required, ...(listAt(schema, 'required') as string[])]),
    further: isClosed ? 'none' : takes === 'objects' && form.further === 'any' ? 'objects' : form.further,
    additional: isObject(additional) ? [...form.additional, part(additional)] : form.additional,
    items: schema.items === undefined ? form.items : [...form.items, part(schema.items)],
    from: form.from.includes(at) ? form.from : [...form.from, at],
  };
}

/** The only values that a form takes. */
export function valuesIn({ values, types, excluded }: Form): readonly JsonValue[] | undefined {
  return values?.filter((value) => types.includes(typeOf(value)) && !isAmong(value, excluded));
}

export function isAmong(value: JsonValue, others: readonly JsonValue[] = []): boolean {
  return others.some((other) => canonical(value) === canonical(other));
}

function isPossible(form: Form): boolean {
  const { minItems = 0, maxItems = Infinity, minLength = 0, maxLength = Infinity } = form.bounds;
  if (form.types.length === 0 || valuesIn(form)?.length === 0) return false;
  if (form.types.length === 1 && (minItems > maxItems || minLength > maxLength)) return false;
  return ![...form.required].some((name) => form.properties.get(name)?.some(({ at }) => at === false));
}

function typeOf(value: JsonValue): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : (typeof value as TypeName);
}

function typesOf(type: JsonValue | undefined): readonly TypeName[] {
  const types = [type].flat() as TypeName[];
  return types.includes('number') ? [...types, 'integer'] : types;
}

function valuesOf(schema: JsonValue | undefined): readonly JsonValue[] | undefined {
  const only = member(schema, 'const');
  const values = only === undefined ? member(schema, 'enum') : [only];
  return Array.isArray(values) ? values : undefined;
}

/** A text of each standard format. */
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
  const { exclusiveMinimum: over = -Infinity, exclusiveMaximum: under = Infinity } = bounds;
  const { minimum = -Infinity, maximum = Infinity, multipleOf: step = isInteger ? 1 : 0 } = bounds;
  if (step > 0)
    return {
      least: Math.max(Math.ceil(minimum / step), Math.floor(over / step) + 1),
      most: Math.min(Math.floor(maximum / step), Math.ceil(under / step) - 1),
      step,
    };
  const apart = (bound: number) => (Number.isFinite(bound) ? Math.max(1, Math.abs(bound)) * 1e-9 : 0);
  return {
    least: Math.max(minimum, over + apart(over)),
    most: Math.min(maximum, under - apart(under)),
    step,
  };
}

/** Values of one body, and of one of schemas that hold themselves or one another; where there would be more, it is made with fewer levels. */
const MAX_VALUES = 200_000;
const MAX_RECURSIVE_VALUES = 2000;
/** How often a schema may hold itself. */
const MAX_RECURSION = 2;
/** Objects within objects that have optional members. */
const LEVELS = [Infinity, 4, 3, 2, 1];

/** Thrown where no value of a place can be made. */
export class Unmade extends Error {
  readonly path: readonly (string | number)[];
  constructor(path: readonly (string | number)[]) {
    super('no value can be made');
    this.path = path;
  }
}

/** Thrown where a body would be too large. */
class TooManyValues extends Error {}

/** Bounds what is made of schemas that hold themselves or one another. */
export class RecursionLimit {
  readonly #levels: number;
  #made = 0;
  #isRecursive = false;

  constructor(levels: number) {
    this.#levels = levels;
  }

  /** @param above the subschemas around a value and its own. @returns whether one more value may be made there */
  take(above: readonly unknown[]): boolean {
    const times = new Map<unknown, number>();
    for (const at of above) times.set(at, (times.get(at) ?? 0) + 1);
    const recursion = Math.max(1, ...times.values()) - 1;
    if (recursion > MAX_RECURSION) return false;
    this.#isRecursive ||= recursion > 0;
    if (++this.#made > (this.#isRecursive ? MAX_RECURSIVE_VALUES : MAX_VALUES)) throw new TooManyValues();
    return true;
  }

  /** Whether an object has its optional members. @param level objects around it */
  hasOptional(level: number): boolean {
    return level < this.#levels;
  }
}

/** Makes something of schemas, as large as the limit allows. @throws Unmade where nothing could be made */
export function withRecursionLimit<Made>(make: (limit: RecursionLimit) => Made): Made {
  for (const levels of LEVELS) {
    try {
      return make(new RecursionLimit(levels));
    } catch (error) {
      if (!(error instanceof TooManyValues)) throw error;
    }
  }
  throw new Unmade([]);
}
