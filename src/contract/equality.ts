import {
  _,
  type Ajv2020,
  type CodeKeywordDefinition,
  type KeywordCxt,
  type Name,
  str,
} from 'ajv/dist/2020.js';
import { canonical } from '../model/canonical.ts';
import type { JsonValue } from '../model/json.ts';

/**
 * Puts keywords that compare whole values in the place of Ajv's own, with the same errors. Its comparison calls `toString` and
 * `valueOf` where a value has them, which a body's members can be, and holds each item of a list against each other one.
 */
export function replaceEquality(ajv: Ajv2020): void {
  for (const definition of [uniqueItems, constant, enumeration]) {
    ajv.removeKeyword(definition.keyword as string);
    ajv.addKeyword(definition);
  }
}

const uniqueItems: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: {
    message: ({ params: { pair } }) =>
      str`must NOT have duplicate items (items ## ${_`${pair as Name}[0]`} and ${_`${pair as Name}[1]`} are identical)`,
    params: ({ params: { pair } }) => _`{i: ${pair as Name}[1], j: ${pair as Name}[0]}`,
  },
  code(context: KeywordCxt) {
    const { gen, data, schema } = context;
    if (schema !== true) return;
    const find = gen.scopeValue('func', { ref: firstRepeated });
    const pair = gen.const('pair', _`${find}(${data})`);
    context.setParams({ pair });
    context.fail(pair);
  },
};

const constant: CodeKeywordDefinition = {
  keyword: 'const',
  error: {
    message: 'must be equal to constant',
    params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}`,
  },
  code: (context) => failUnlessAmong(context, [context.schema as JsonValue]),
};

const enumeration: CodeKeywordDefinition = {
  keyword: 'enum',
  schemaType: 'array',
  error: {
    message: 'must be equal to one of the allowed values',
    params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
  },
  code: (context) => failUnlessAmong(context, context.schema as JsonValue[]),
};

function failUnlessAmong(context: KeywordCxt, values: readonly JsonValue[]): void {
  const { gen, data } = context;
  const plain = new Set(values.filter((value) => !isNested(value)));
  const texts = new Set(values.filter(isNested).map((value) => canonical(value)));
  const ref = (value: JsonValue) =>
    isNested(value) ? texts.size > 0 && texts.has(canonical(value)) : plain.has(value);
  const isAmong = gen.scopeValue('func', { ref });
  context.fail(_`!${isAmong}(${data})`);
}

/** Places of the first item that is there a second time, and of that one. */
function firstRepeated(items: readonly JsonValue[]): [first: number, second: number] | undefined {
  const places = new Map<string, number>();
  for (const [place, item] of items.entries()) {
    const text = canonical(item);
    const first = places.get(text);
    if (first !== undefined) return [first, place];
    places.set(text, place);
  }
  return undefined;
}

function isNested(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}
