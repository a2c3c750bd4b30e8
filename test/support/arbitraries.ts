/** Bodies that the contract has nothing against, for fast-check: made from its schemas. */
import { readFileSync } from 'node:fs';
import fc, { type Arbitrary } from 'fast-check';
import type { JsonValue } from '../../src/json/json.ts';
import { anyObject, anything, few, float, integer, seen, some, text, url } from './arbitrary-values.ts';

interface Schema {
  $ref?: string;
  type?: string;
  enum?: string[];
  observed?: { enum?: string[] };
  required?: string[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: object;
  $defs?: Record<string, Schema>;
}

const read = (name: string): Schema =>
  JSON.parse(readFileSync(new URL(`../../schemas/update-${name}.json`, import.meta.url), 'utf8'));

/** @param given what stands at a name, whatever the schema says */
function bodyOf(document: Schema, given: Record<string, Arbitrary<JsonValue>>): Arbitrary<JsonValue> {
  const arbitraryOf = ({ $ref, ...schema }: Schema): Arbitrary<JsonValue> => {
    if ($ref === 'url-item.json') return urlItem;
    if ($ref) return arbitraryOf(document.$defs?.[$ref.slice('#/$defs/'.length)] as Schema);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.observed?.enum) return seen(...schema.observed.enum);
    switch (schema.type) {
      case 'string':
        return text;
      case 'integer':
        return integer;
      case 'boolean':
        return fc.boolean();
      case 'array':
        return listOf(schema.items ?? {});
      case 'object':
        return objectOf(schema);
    }
    return anything;
  };
  const listOf = (items: Schema): Arbitrary<JsonValue> => {
    const item = arbitraryOf(items);
    if (!items.$ref?.endsWith('environment')) return few(item);
    return fc.uniqueArray(item as Arbitrary<{ id: number }>, {
      ...{ minLength: 1, maxLength: 6, selector: ({ id }) => id + 0 },
    }) as Arbitrary<JsonValue>;
  };
  const objectOf = ({ properties = {}, allOf = [], additionalProperties }: Schema): Arbitrary<JsonValue> => {
    const members = Object.entries(properties).map(([name, schema]) => [
      name,
      given[name] ?? arbitraryOf(schema),
    ]);
    const required = allOf.flatMap((part) => part.required ?? []);
    const all = Object.fromEntries(members) as Record<string, Arbitrary<JsonValue>>;
    if (required.length > 0) return fc.record(all, { noNullPrototype: true });
    const tool = some({ enabled: fc.boolean() });
    return some(additionalProperties ? { ...all, heatrecorder: tool, 'x-1': tool, constructor: tool } : all);
  };
  return arbitraryOf(document);
}

/** Of another type nobody knows what its value must be. */
const urlItem = fc.oneof(
  some({ type: fc.constant('url'), value: url }),
  fc.record({ type: fc.constantFrom('pattern', 'regex', 'URL'), value: text }),
);

const VALUES: Readonly<Record<string, Arbitrary<JsonValue>>> = {
  ...{ string: text, integer, int: integer, float: fc.oneof(float, integer), boolean: fc.boolean() },
  ...{ json: anyObject, double: anything },
};
const variable = fc.constantFrom(...Object.keys(VALUES)).chain((type) =>
  fc.record({
    id: fc.nat(),
    variableName: text,
    dataType: fc.constant(type),
    defaultValue: VALUES[type] as never,
  }),
) as Arbitrary<JsonValue>;

export const projectBody = bodyOf(read('project'), {});

/** The values of variations are of variables that the body does not have. */
export const featureBody = bodyOf(read('feature'), { variableId: fc.integer({ max: -1 }) }).chain((body) =>
  fc.option(few(variable)).map((variables) => {
    const { variables: _, ...rest } = body as Record<string, JsonValue>;
    return { ...rest, ...(variables && { variables }) };
  }),
);

const draft = read('draft');
/** @param id the draft's, in the path */
export function draftBody(id: number): Arbitrary<JsonValue> {
  return bodyOf(draft, { draftId: fc.constant(id), primaryUrl: url });
}
