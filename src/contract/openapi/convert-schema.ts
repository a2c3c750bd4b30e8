import { fullFormats } from 'ajv-formats/dist/formats.js';
import { childOf, isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { isPattern } from '../load-contract.ts';
import { LeftOut, type Node, type OpenApiDocument } from './document.ts';

/** Deeper ones no body can follow: it may have 128 levels. */
const MOST_LEVELS = 200;

/** Keywords that hold a schema, a list of them, or one for each name. */
const ONE = [
  ...['not', 'additionalProperties', 'items', 'contains', 'propertyNames', 'if', 'then', 'else'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas'];
const PLAIN = [
  ...['type', 'enum', 'const', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'format', 'maxItems', 'minItems', 'uniqueItems', 'maxContains'],
  ...['minContains', 'maxProperties', 'minProperties', 'required', 'dependentRequired'],
  ...['title', 'description', 'default', 'examples', 'example', 'deprecated'],
];
/** What says nothing of a body, or is said in another way. */
const SILENT = new Set(['nullable', 'readOnly', 'writeOnly', 'xml', 'externalDocs', '$comment', '$ref']);
const UNCHECKED = new Set(['idn-email', 'idn-hostname', 'iri', 'iri-reference']);

/** Makes JSON Schema 2020-12 of the schemas of a document, each component once. */
export class SchemaConverter {
  /** By name; references lead here. */
  readonly defs: Record<string, JsonValue> = {};
  /** Keywords that were dropped, with their number. */
  readonly dropped = new Map<string, number>();
  readonly #document: OpenApiDocument;
  readonly #names = new Map<string, string>();
  readonly #broken = new Map<string, LeftOut>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** Puts a schema among the others. @returns its name. @throws LeftOut */
  add(name: string, node: Node): string {
    const own = this.#free(name);
    try {
      this.defs[own] = this.#convert(node, 0);
    } catch (error) {
      delete this.defs[own];
      throw error;
    }
    return own;
  }

  /** @param levels above it in the same component */
  #convert({ value: schema, file }: Node, levels: number): JsonValue {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) throw new LeftOut('a schema is an object, true or false');
    if (levels > MOST_LEVELS) throw new LeftOut(`its schema is nested more than ${MOST_LEVELS} levels deep`);
    const below = (value: unknown) => this.#convert({ value, file }, levels + 1);
    const isOld = String(this.#document.root.openapi).startsWith('3.0');
    const made: JsonObject = {};
    if (typeof schema.$ref === 'string') {
      made.$ref = `#/$defs/${this.#refer(schema.$ref, file)}`;
      // In 3.0, what stands beside a reference says nothing.
      if (isOld) return made;
    }
    for (const [keyword, value] of Object.entries(schema)) {
      if (PLAIN.includes(keyword)) made[keyword] = value as JsonValue;
      else if (ONE.includes(keyword)) made[keyword] = below(value);
      else if (LISTS.includes(keyword) && Array.isArray(value)) made[keyword] = value.map(below);
      else if (MAPS.includes(keyword) && isObject(value)) made[keyword] = mapped(value, below);
      else if (keyword === 'discriminator' && isObject(value) && (schema.oneOf ?? schema.anyOf)) continue;
      else if (!SILENT.has(keyword) && !keyword.startsWith('x-')) this.#drop(keyword);
    }
    if (isObject(schema.discriminator)) this.#discriminate(made, schema, schema.discriminator, file);
    this.#repair(made);
    this.#withoutReadOnly(made, schema, file);
    return isOld ? fromOld(made, schema) : made;
  }

  #refer(reference: string, from: string): string {
    const { value, file } = this.#document.at(reference, from);
    const key = `${file}#${reference.split('#')[1] ?? ''}`;
    const failed = this.#broken.get(key);
    if (failed) throw failed;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    checkEnds(this.#document, { value, file }, []);
    const name = this.#free(nameOf(reference));
    this.#names.set(key, name);
    // Of a place: references may come back to it.
    this.defs[name] = true;
    try {
      this.defs[name] = this.#convert({ value, file }, 0);
    } catch (error) {
      delete this.defs[name];
      if (error instanceof LeftOut) this.#broken.set(key, error);
      throw error;
    }
    return name;
  }

  #free(name: string): string {
    const plain = name.replace(/[^\w.-]+/g, '_').replace(/^_+|_+$/g, '') || 'schema';
    let free = plain;
    for (let i = 2; Object.hasOwn(this.defs, free); i++) free = `${plain}_${i}`;
    return free;
  }

  #drop(what: string): void {
    this.dropped.set(what, (this.dropped.get(what) ?? 0) + 1);
  }

  /** Each branch takes its own name alone: else two of them could take the same body. */
  #discriminate(made: JsonObject, schema: JsonObject, { propertyName, mapping }: JsonObject, file: string) {
    const keyword = Array.isArray(made.oneOf) ? 'oneOf' : 'anyOf';
    const branches = schema[keyword];
    if (typeof propertyName !== 'string' || !Array.isArray(branches)) return;
    const named = Object.entries(isObject(mapping) ? mapping : {}).map(([name, to]) => [
      name,
      /[#/.]/.test(String(to)) ? String(to) : `#/components/schemas/${to}`,
    ]);
    made[keyword] = branches.map((branch, index) => {
      const converted = (made[keyword] as JsonValue[])[index] as JsonValue;
      const reference = childOf(branch, '$ref');
      if (typeof reference !== 'string') return converted;
      const names = named.filter(([, to]) => to === reference).map(([name]) => name as string);
      const own = names.length > 0 ? names : [nameOf(reference)];
      const value = this.#document.follow({ value: branch, file }).value;
      const listed = childOf(childOf(childOf(value, 'properties'), propertyName), 'enum');
      if (names.length === 0 && Array.isArray(listed)) return converted;
      const is = own.length === 1 ? { const: own[0] as string } : { enum: own };
      return { allOf: [converted], properties: { [propertyName]: is }, required: [propertyName] };
    });
  }

  /** Leaves out what would stop the start, or is none of JSON Schema's. */
  #repair(made: JsonObject): void {
    const drop = (keyword: string, what = keyword) => {
      delete made[keyword];
      this.#drop(what);
    };
    const { format, pattern, required, type } = made;
    if (format !== undefined && !(String(format) in fullFormats || UNCHECKED.has(String(format))))
      drop('format', `format ${format}`);
    if (pattern !== undefined && !isPattern(String(pattern))) drop('pattern', `pattern ${pattern}`);
    if (required !== undefined && !Array.isArray(required)) drop('required');
    if (Array.isArray(required)) made.required = [...new Set(required)];
    if (Array.isArray(made.enum)) made.enum = unique(made.enum);
    if (type === 'file' || (Array.isArray(type) && type.length === 0)) drop('type');
    if (made.if !== undefined && made.then === undefined && made.else === undefined) drop('if');
    if (made.if === undefined) for (const word of ['then', 'else']) if (made[word] !== undefined) drop(word);
    if (made.contains === undefined)
      for (const word of ['minContains', 'maxContains']) if (made[word] !== undefined) drop(word);
  }

  /** The service sets them: no request needs them, and one that echoes them gets one warning. */
  #withoutReadOnly(made: JsonObject, schema: JsonObject, file: string): void {
    const isReadOnly = (value: unknown) => {
      if (childOf(value, 'readOnly') === true) return true;
      if (typeof childOf(value, '$ref') !== 'string') return false;
      return childOf(this.#document.follow({ value, file }).value, 'readOnly') === true;
    };
    const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
    const names = properties.filter(([, value]) => isReadOnly(value)).map(([name]) => name);
    if (names.length === 0) return;
    made.readOnlyFields = names;
    if (!Array.isArray(made.required)) return;
    made.required = made.required.filter((name) => !names.includes(String(name)));
    if ((made.required as JsonValue[]).length === 0) delete made.required;
  }
}

/** What 3.0 says in its own way. */
function fromOld(made: JsonObject, schema: JsonObject): JsonValue {
  for (const [bound, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (made[bound] === true && typeof made[limit] === 'number') {
      made[bound] = made[limit];
      delete made[limit];
    } else if (typeof made[bound] === 'boolean') delete made[bound];
  }
  if (schema.nullable !== true) return made;
  if (typeof made.type !== 'string') return { anyOf: [made, { type: 'null' }] };
  made.type = [made.type, 'null'];
  if (Array.isArray(made.enum) && !made.enum.includes(null)) made.enum = [...made.enum, null];
  return made;
}

/** @throws LeftOut where a schema is held against a value by itself alone, and so without end */
function checkEnds(document: OpenApiDocument, node: Node, above: readonly unknown[]): void {
  const { value, file } = node;
  if (!isObject(value)) return;
  if (above.includes(value)) throw new LeftOut('its schema refers to itself without end');
  const further = [...above, value];
  if (typeof value.$ref === 'string') checkEnds(document, document.at(value.$ref, file), further);
  for (const keyword of ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'])
    for (const branch of [value[keyword]].flat()) checkEnds(document, { value: branch, file }, further);
}

function mapped(members: JsonObject, convert: (value: unknown) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, convert(value)]));
}

function unique(values: readonly JsonValue[]): JsonValue[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** `#/components/schemas/User` -> `User`; `./models/user.yml` -> `user` */
function nameOf(reference: string): string {
  const [file = '', fragment = ''] = reference.split('#');
  const last = fragment.split('/').at(-1);
  return last || (file.split('/').at(-1) ?? '').replace(/\.\w+$/, '');
}
