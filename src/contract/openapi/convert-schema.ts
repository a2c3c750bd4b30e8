import { childOf, isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { createAjv, MAPS, VALUES } from '../compile-schemas.ts';
import { isPattern } from '../load-contract.ts';
import { LeftOut, type Node, type OpenApiDocument } from './document.ts';

/** Deeper ones no body can follow: it may have 128 levels. */
const MOST_LEVELS = 200;

/** What says nothing of a body, or is said in another way. */
const SILENT = /^(?:nullable|readOnly|writeOnly|xml|externalDocs|discriminator|\$ref|\$comment|x-.*)$/;
const ajv = createAjv(true);

/** Makes JSON Schema 2020-12 of the schemas of a document, each component once. */
export function createConverter(document: OpenApiDocument) {
  const defs: Record<string, JsonValue> = {};
  /** Keywords that were dropped, with their number. */
  const dropped = new Map<string, number>();
  const taken = new Set<string>();
  /** By place: the name that a component got, or why it cannot be taken. */
  const places = new Map<string, string | Error>();
  const drop = (what: string) => dropped.set(what, (dropped.get(what) ?? 0) + 1);
  const isOld = String(document.root.openapi).startsWith('3.0');
  return { defs, dropped, add };

  /** Puts a schema among the others. @returns its name. @throws LeftOut */
  function add(name: string, node: Node, place?: string): string {
    const own = freeName(name);
    // References may come back to it.
    if (place !== undefined) places.set(place, own);
    defs[own] = convert(node, 0);
    return own;
  }

  function convert({ value: schema, file }: Node, levels: number): JsonValue {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) throw new LeftOut('a schema is an object, true or false');
    if (levels > MOST_LEVELS) throw new LeftOut(`its schema is nested more than ${MOST_LEVELS} levels deep`);
    const below = (value: JsonValue): JsonValue => {
      if (Array.isArray(value)) return value.map(below);
      return isObject(value) ? convert({ value, file }, levels + 1) : value;
    };
    const made: JsonObject = {};
    if (typeof schema.$ref === 'string') {
      made.$ref = `#/$defs/${refer(schema.$ref, file)}`;
      // In 3.0, what stands beside a reference says nothing.
      if (isOld) return made;
    }
    for (const [keyword, value] of Object.entries(schema)) {
      if (SILENT.test(keyword)) continue;
      if (!VALUES.has(keyword) && !Object.hasOwn(ajv.RULES.keywords, keyword)) drop(keyword);
      else if (keyword === 'format' && !(String(value) in ajv.formats)) drop(`format ${value}`);
      else if (keyword === 'pattern' && !isPattern(String(value))) drop(`pattern ${value}`);
      else if (VALUES.has(keyword)) made[keyword] = value;
      else if (MAPS.has(keyword) && isObject(value))
        made[keyword] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, below(one)]));
      else made[keyword] = below(value);
    }
    discriminate(made, schema, file);
    withoutReadOnly(made, schema, file);
    return isOld ? fromOld(made, schema) : made;
  }

  function refer(reference: string, from: string): string {
    const node = document.at(reference, from);
    const key = `${node.file}#${reference.split('#')[1] ?? ''}`;
    const known = places.get(key);
    if (known instanceof Error) throw known;
    if (known !== undefined) return known;
    try {
      return add(nameOf(reference), node, key);
    } catch (error) {
      places.set(key, error as Error);
      throw error;
    }
  }

  function freeName(name: string): string {
    const plain = name.replace(/[^\w.-]+/g, '_').replace(/^_+|_+$/g, '') || 'schema';
    let free = plain;
    for (let i = 2; taken.has(free); i++) free = `${plain}_${i}`;
    taken.add(free);
    return free;
  }

  /** Each branch takes its own name alone: else two of them could take the same body. */
  function discriminate(made: JsonObject, schema: JsonObject, file: string): void {
    const { propertyName, mapping } = isObject(schema.discriminator)
      ? schema.discriminator
      : ({} as JsonObject);
    const keyword = Array.isArray(made.oneOf) ? 'oneOf' : 'anyOf';
    const branches = schema[keyword];
    if (typeof propertyName !== 'string' || !Array.isArray(branches)) return;
    const named = Object.entries(isObject(mapping) ? mapping : {}).map(([name, to]) => {
      return { name, to: /[#/.]/.test(String(to)) ? to : `#/components/schemas/${to}` };
    });
    made[keyword] = branches.map((branch, index) => {
      const converted = (made[keyword] as JsonValue[])[index] as JsonValue;
      const reference = childOf(branch, '$ref');
      if (typeof reference !== 'string') return converted;
      const names = named.filter(({ to }) => to === reference).map(({ name }) => name);
      const { value } = document.follow({ value: branch, file });
      const listed = childOf(childOf(childOf(value, 'properties'), propertyName), 'enum');
      if (names.length === 0 && Array.isArray(listed)) return converted;
      const is = { enum: names.length > 0 ? names : [nameOf(reference)] };
      return { allOf: [converted], properties: { [propertyName]: is }, required: [propertyName] };
    });
  }

  /** The service sets them: no request needs them, and one that echoes them gets one warning. */
  function withoutReadOnly(made: JsonObject, { properties }: JsonObject, file: string): void {
    const names = Object.entries(isObject(properties) ? properties : {})
      .filter(([, value]) => childOf(document.follow({ value, file }).value, 'readOnly') === true)
      .map(([name]) => name);
    if (names.length > 0) made.readOnlyFields = names;
    if (Array.isArray(made.required))
      made.required = [...new Set(made.required)].filter((name) => !names.includes(String(name)));
  }
}

function fromOld(made: JsonObject, schema: JsonObject): JsonValue {
  for (const limit of ['Minimum', 'Maximum']) {
    const [bound, exclusive] = [limit.toLowerCase(), `exclusive${limit}`];
    if (made[exclusive] === true && typeof made[bound] === 'number') {
      made[exclusive] = made[bound];
      delete made[bound];
    } else if (typeof made[exclusive] === 'boolean') delete made[exclusive];
  }
  if (schema.nullable !== true) return made;
  if (typeof made.type !== 'string') return { anyOf: [made, { type: 'null' }] };
  made.type = [made.type, 'null'];
  if (Array.isArray(made.enum) && !made.enum.includes(null)) made.enum = [...made.enum, null];
  return made;
}

/** `#/components/schemas/User` -> `User`; `./models/user.yml` -> `user` */
function nameOf(reference: string): string {
  const [file = '', fragment = ''] = reference.split('#');
  return fragment.split('/').at(-1) || (file.split('/').at(-1) ?? '').replace(/\.\w+$/, '');
}
