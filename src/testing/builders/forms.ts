import { partAt } from '../../contract/schema-shape.ts';
import { canonical } from '../../json/canonical.ts';
import { isObject, type JsonValue } from '../../json/json.ts';
import { ALL_TYPES, BOUNDS, type Bound, type Form, OPEN_FORM, type Part, type TypeName } from './form.ts';

/** Ways that are told apart at one place; each further `anyOf` or `if` multiplies them. */
const MOST_FORMS = 16;

/** Reads schemas for those who make values of them. */
export interface SchemaReader {
  /** The ways in which a value can be as these say. None: no value can. */
  forms(parts: readonly Part[]): readonly Form[];
}

/**
 * Takes in what 2020-12 and the contract's own keywords say of a single value and what stands in it. What is not read here
 * (`not`, `contains`, `patternProperties`, …) is left to the gate, which is asked about each body in the end.
 *
 * @param schemas of the contract by file, for references
 * @param isStrict whether what only warns counts as well: `observed`, and subschemas of severity `warn`
 */
export function schemaReader(schemas: ReadonlyMap<string, unknown>, isStrict: boolean): SchemaReader {
  const expand = (part: Part, forms: readonly Form[], above: readonly unknown[] = []): readonly Form[] => {
    const { document, at } = part;
    if (at === false) return [];
    if (!isObject(at) || above.includes(at) || (!isStrict && at.severity === 'warn')) return forms;
    const within = [...above, at];
    const and = (some: readonly Form[], further: unknown, file = document) =>
      expand({ document: file, at: further }, some, within);
    const either = (some: readonly Form[], branches: readonly unknown[]) =>
      branches.length === 0 ? some : branches.flatMap((branch) => and(some, branch));

    let all = forms.map((form) => narrowed(form, part, isStrict)).filter(isPossible);
    if (typeof at.$ref === 'string') {
      const referred = partAt(at.$ref, document, schemas);
      all = [...and(all, referred.at, referred.document)];
    }
    for (const further of listOf(at.allOf)) all = [...and(all, further)];
    if (isStrict && at.observed !== undefined) all = [...and(all, at.observed)];
    all = [...either(either(all, listOf(at.anyOf)), listOf(at.oneOf))];
    if (at.if !== undefined) {
      const held = and(and(all, at.if), at.then);
      const unless = negated(at.if);
      all = unless === undefined ? [...held] : [...held, ...and(and(all, unless), at.else)];
    }
    return all.slice(0, MOST_FORMS);
  };
  return {
    forms: (parts) =>
      parts
        .reduce<readonly Form[]>((forms, part) => expand(part, forms), [OPEN_FORM])
        .filter((form) => isPossible(form))
        .slice(0, MOST_FORMS),
  };
}

/** What must hold where a condition does not: of the simple ones, which ask for a member's value or for a type. */
function negated(condition: unknown): JsonValue | undefined {
  if (!isObject(condition)) return undefined;
  const [name, ...others] = Object.keys(condition).filter((keyword) => keyword !== 'required');
  if (others.length > 0) return undefined;
  if (name === 'type' && typeof condition.type === 'string')
    return { type: ALL_TYPES.filter((type) => !typesOf(condition.type).includes(type)) };
  if (name !== 'properties' || !isObject(condition.properties)) return undefined;
  const [property, ...more] = Object.entries(condition.properties);
  if (!property || more.length > 0) return undefined;
  const values = valuesOf(property[1]);
  if (!values) return undefined;
  return { required: [property[0]], properties: { [property[0]]: { excluded: [...values] } } };
}

const INT32: Record<string, JsonValue> = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** A form with what the keywords of one subschema say as well; those that combine others are the reader's. */
function narrowed(form: Form, { document, at }: Part, isStrict: boolean): Form {
  const schema = at as Record<string, JsonValue>;
  const part = (inner: unknown): Part => ({ document, at: inner });
  const values = valuesOf(schema);
  const properties = new Map(form.properties);
  for (const [name, inner] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
    properties.set(name, [...(properties.get(name) ?? []), part(inner)]);
  const bounds: Partial<Record<Bound, number>> = { ...form.bounds };
  for (const said of schema.format === 'int32' ? [schema, INT32] : [schema])
    for (const name of Object.keys(BOUNDS) as Bound[]) {
      const bound = said[name];
      const other = bounds[name];
      if (typeof bound === 'number') bounds[name] = other === undefined ? bound : BOUNDS[name](bound, other);
    }
  const { additionalProperties: additional } = schema;
  const takes = isStrict ? schema.furtherFields : undefined;
  const isClosed = takes === 'none' || additional === false || schema.unevaluatedProperties === false;
  const types = schema.type === undefined ? ALL_TYPES : typesOf(schema.type);
  return {
    types: form.types.filter((type) => types.includes(type)),
    isOpen: form.isOpen && !SAYING.some((keyword) => schema[keyword] !== undefined),
    values: values ? common(values, form.values) : form.values,
    not: [...form.not, ...listOf(schema.excluded)],
    // The innermost that says something counts: a reference is read after what it stands beside.
    examples:
      form.examples.length > 0
        ? form.examples
        : listOf(schema.examples ?? shownBy(schema.example ?? schema.default)),
    bounds,
    patterns: typeof schema.pattern === 'string' ? [...form.patterns, schema.pattern] : form.patterns,
    formats: typeof schema.format === 'string' ? [...form.formats, schema.format] : form.formats,
    isUnique: form.isUnique || schema.uniqueItems === true,
    properties,
    required: new Set([
      ...form.required,
      ...listOf(schema.required).filter((name) => typeof name === 'string'),
    ]),
    further: isClosed ? 'none' : takes === 'objects' && form.further === 'any' ? 'objects' : form.further,
    additional: isObject(additional) ? [...form.additional, part(additional)] : form.additional,
    items: schema.items === undefined ? form.items : [...form.items, part(schema.items)],
    from: form.from.includes(at) ? form.from : [...form.from, at],
  };
}

function common(values: readonly JsonValue[], others: readonly JsonValue[] | undefined) {
  return others ? values.filter((value) => others.some((other) => isSame(value, other))) : values;
}

/** The only values that a form takes. */
export function valuesIn({ values, types, not }: Form): readonly JsonValue[] | undefined {
  return values?.filter((value) => takesType(types, value) && !not.some((other) => isSame(value, other)));
}

const SAYING = ['type', 'enum', 'const', 'properties', 'items', 'required', 'format', 'pattern', 'excluded'];

function isPossible(form: Form): boolean {
  const { types, bounds, required, properties } = form;
  if (types.length === 0 || valuesIn(form)?.length === 0) return false;
  const { minItems = 0, maxItems = Infinity, minLength = 0, maxLength = Infinity } = bounds;
  if (types.length === 1 && (minItems > maxItems || minLength > maxLength)) return false;
  return ![...required].some((name) => properties.get(name)?.some(({ at }) => at === false));
}

/** Whether a value is of one of the types. */
export function takesType(types: readonly TypeName[], value: JsonValue): boolean {
  const type = typeOf(value);
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

export function typeOf(value: JsonValue): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as TypeName;
}

export function isSame(value: JsonValue, other: JsonValue): boolean {
  return value === other || (typeof value === 'object' && canonical(value) === canonical(other));
}

function typesOf(type: JsonValue | undefined): readonly TypeName[] {
  const types = [type].flat() as TypeName[];
  return types.includes('number') ? [...types, 'integer'] : types;
}

function valuesOf(schema: JsonValue): readonly JsonValue[] | undefined {
  if (!isObject(schema)) return undefined;
  return schema.const !== undefined ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;
}

function shownBy(value: JsonValue | undefined): JsonValue[] {
  return value === undefined ? [] : [value];
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
