import { isObject, type JsonValue, listAt, member } from '../json/json.ts';
import type { Rule } from '../model/rule.ts';
import { idOf } from './duplicates.ts';

/** What a value must be for each dataType that the description shows; of others it is not known. */
const KINDS: Readonly<Record<string, { takes: (value: JsonValue) => boolean; called: string }>> = {
  string: { takes: (value) => typeof value === 'string', called: 'a string' },
  integer: { takes: Number.isInteger, called: 'an integer' },
  int: { takes: Number.isInteger, called: 'an integer' },
  float: { takes: (value) => typeof value === 'number', called: 'a number' },
  boolean: { takes: (value) => typeof value === 'boolean', called: 'a boolean' },
  json: { takes: isObject, called: 'an object' },
};

const defaults = (...variables: [dataType: string, defaultValue: JsonValue][]) => ({
  body: { variables: variables.map(([dataType, defaultValue]) => ({ dataType, defaultValue })) },
});
const assigned = (variables: JsonValue[], ...values: [variableId: number, value: JsonValue][]) => ({
  body: {
    variables,
    variations: [{ variables: values.map(([variableId, value]) => ({ variableId, value })) }],
  },
});

export const valueMatchesDataType: Rule = {
  name: 'feature.value-matches-data-type',
  severity: 'error',
  basis: 'inferred',
  says: "a variable's value is not of its dataType",
  source: 'service-api 2.2',
  *check({ body, known }) {
    const variables = listAt(body, 'variables');
    for (const [index, variable] of variables.entries()) {
      const type = typeOf(variable);
      const value = member(variable, 'defaultValue');
      if (value !== undefined && !fits(value, type)) yield mismatch(`/variables/${index}/defaultValue`, type);
    }
    const variations = listAt(body, 'variations');
    if (variations.length === 0) return;
    const sent = typesById(variables);
    // Where not all is known, a variable may have another type by now.
    const stored = typesById(known?.isWhole ? listAt(known.record, 'variables') : []);
    for (const [i, variation] of variations.entries()) {
      for (const [j, assignment] of listAt(variation, 'variables').entries()) {
        const id = member(assignment, 'variableId');
        const value = member(assignment, 'value');
        const types = typeof id === 'number' ? (sent.get(id) ?? stored.get(id)) : undefined;
        if (value === undefined || !types || types.some((type) => fits(value, type))) continue;
        yield mismatch(`/variations/${i}/variables/${j}/value`, types[0]);
      }
    }
  },
  examples: {
    passes: [
      defaults(['integer', 5], ['double', 'x']),
      defaults(['float', 1], ['json', {}]),
      assigned(
        [
          { id: 1, dataType: 'int' },
          { id: 1, dataType: 'string' },
        ],
        [1, 'x'],
        [2, 0],
      ),
    ],
    fails: [
      {
        ...assigned([], [1, 'x']),
        known: { variables: [{ id: 1, dataType: 'int' }] },
        pointers: ['/variations/0/variables/0/value'],
      },
      { ...defaults(['string', 5]), pointers: ['/variables/0/defaultValue'] },
      { ...defaults(['int', 0.5]), pointers: ['/variables/0/defaultValue'] },
      { ...defaults(['json', []]), pointers: ['/variables/0/defaultValue'] },
      {
        ...assigned([{ id: 1, dataType: 'boolean' }], [1, 'on']),
        pointers: ['/variations/0/variables/0/value'],
      },
    ],
  },
};

function typeOf(variable: JsonValue): string | undefined {
  const type = member(variable, 'dataType');
  return typeof type === 'string' && Object.hasOwn(KINDS, type) ? type : undefined;
}

/** By the id of the variable: several may have one. */
function typesById(variables: readonly JsonValue[]): Map<number, readonly (string | undefined)[]> {
  const types = new Map<number, readonly (string | undefined)[]>();
  for (const variable of variables) {
    const id = idOf(variable);
    if (id !== undefined) types.set(id, withType(types.get(id) ?? [], typeOf(variable)));
  }
  return types;
}

function withType(types: readonly (string | undefined)[], type: string | undefined) {
  return types.includes(type) ? types : [...types, type];
}

function fits(value: JsonValue, type: string | undefined): boolean {
  return type === undefined || (KINDS[type]?.takes(value) ?? true);
}

function mismatch(pointer: string, type: string | undefined) {
  return {
    pointer,
    message: `${pointer} must be ${KINDS[type ?? '']?.called}: the variable's dataType is "${type}"`,
    hint: 'correct the value or the dataType',
  };
}
