import { isObject, type JsonObject, type JsonValue, listAt, member } from '../../json/json.ts';
import { copyOf } from '../edited.ts';

/** What a body is made to fit. */
export interface Aim {
  /** Id of the record in the path. */
  id: string;
  /** The whole record before the request. */
  known: JsonObject | undefined;
  /** One of so many, from 0; the same body makes the same choices. */
  choose(count: number): number;
}

/** How a body that its schema takes is made to satisfy a rule. */
interface Fitting {
  /** What the schema has to say besides. */
  schema?: JsonObject;
  /** Changes the body, which nothing else holds. */
  apply?(body: JsonObject, aim: Aim): void;
}

const some = { minItems: 1 };
const percent = { minimum: 0, maximum: 100 };

/** By the rule's name, in the order in which they are applied. Rules that are not here are satisfied by trying. */
export const FITTINGS: Readonly<Record<string, Fitting>> = {
  'project.empty-list': { schema: { properties: { languages: some, environments: some } } },
  'project.unique-language': { schema: { properties: { languages: { uniqueItems: true } } } },
  'project.environment-deleted': { apply: (body, { known }) => addMissing(body, known, 'environments') },
  'project.environment-replaced': { apply: (body, { known }) => addMissing(body, known, 'environments') },
  'project.language-removed': { apply: (body, { known }) => addMissing(body, known, 'languages') },
  'project.unique-environment-id': { apply: (body) => makeIdsUnique(body, 'environments') },
  'project.one-default-environment': {
    apply(body, { choose }) {
      const environments = objectsAt(body, 'environments');
      const chosen = choose(environments.length);
      for (const [index, environment] of environments.entries())
        if (typeof environment.isEnabled === 'boolean') environment.isEnabled = index === chosen;
    },
  },
  'feature.empty-update': { schema: { minProperties: 1 } },
  'feature.unique-variable-id': { apply: (body) => makeIdsUnique(body, 'variables') },
  'feature.unknown-variable': {
    apply(body, { known }) {
      if (!Array.isArray(member(known, 'variables'))) return;
      const ids = objectsAt(known, 'variables').map(({ id }) => id);
      for (const variable of objectsAt(body, 'variables')) if (!ids.includes(variable.id)) delete variable.id;
    },
  },
  'feature.value-matches-data-type': { apply: fitValues },
  'draft.id-matches-path': {
    apply(body, { id }) {
      if (body.draftId === undefined) return;
      if (Number.isSafeInteger(Number(id))) body.draftId = Number(id);
      else delete body.draftId;
    },
  },
  'draft.percentage-range': {
    schema: {
      properties: {
        percentTraffic: percent,
        variations: { items: { properties: { percentSplit: percent } } },
      },
    },
  },
  'draft.unique-variation-id': { apply: (body) => makeIdsUnique(body, 'variations') },
  'draft.split-sums-to-100': {
    apply(body) {
      const variations = objectsAt(body, 'variations');
      const weights = variations.map(({ percentSplit }) => percentSplit as number);
      if (variations.length === 0 || !weights.every((weight) => typeof weight === 'number')) return;
      const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
      const shares = weights.map((weight) => Math.floor((weight / total) * 100));
      shares[0] = 100 - shares.slice(1).reduce((sum, share) => sum + share, 0);
      for (const [index, variation] of variations.entries()) variation.percentSplit = shares[index] as number;
    },
  },
};

/** The objects of a list. */
function objectsAt(value: JsonValue | undefined, name: string): JsonObject[] {
  return listAt(value, name).filter(isObject);
}

/** What the known record has in a list, and the body lacks. */
function addMissing(body: JsonObject, known: JsonObject | undefined, list: string): void {
  const keyOf = (item: JsonValue) => (isObject(item) ? item.id : item);
  const sent = new Set(listAt(body, list).map(keyOf));
  const missing = listAt(known, list).filter((item) => keyOf(item) !== undefined && !sent.has(keyOf(item)));
  listAt(body, list).push(...copyOf(missing));
}

/** Gives each item of a list whose id an earlier one has the next id that none has. */
function makeIdsUnique(body: JsonObject, list: string): void {
  const items = objectsAt(body, list).filter(({ id }) => typeof id === 'number');
  const all = new Set(items.map(({ id }) => id));
  const used = new Set<JsonValue | undefined>();
  let next = 1;
  for (const item of items) {
    if (used.has(item.id)) {
      while (all.has(next)) next++;
      item.id = next++;
    }
    used.add(item.id);
  }
}

/** Makes the values of variables those of their types, and the variations' be of variables that there are. */
function fitValues(body: JsonObject, { known, choose }: Aim): void {
  const sent = objectsAt(body, 'variables');
  for (const variable of sent)
    if (variable.defaultValue !== undefined)
      variable.defaultValue = ofDataType(variable.defaultValue, variable.dataType);
  const types = new Map<JsonValue, JsonValue | undefined>();
  for (const { id, dataType } of [...objectsAt(known, 'variables'), ...sent])
    if (id !== undefined) types.set(id, dataType);
  const ids = [...types.keys()];
  for (const [i, variation] of objectsAt(body, 'variations').entries())
    for (const [j, assignment] of objectsAt(variation, 'variables').entries()) {
      if (assignment.variableId === undefined) continue;
      if (ids.length > 0) assignment.variableId = ids[(choose(ids.length) + i + j) % ids.length] as JsonValue;
      else if (known) delete assignment.variableId;
      const type = types.get(assignment.variableId ?? null);
      if (assignment.value !== undefined) assignment.value = ofDataType(assignment.value, type);
    }
}

/** A value of a dataType made of any other. */
function ofDataType(value: JsonValue, type: JsonValue | undefined): JsonValue {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
    case 'integer':
    case 'int':
      return integerOf(value);
    case 'float':
      return typeof value === 'number' ? value : integerOf(value);
    case 'boolean':
      return value === true || integerOf(value) > 0;
    case 'json':
      return isObject(value) ? value : { value };
    default:
      return value;
  }
}

function integerOf(value: JsonValue): number {
  if (typeof value === 'number') return Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) + 0 : 0;
  if (typeof value === 'boolean') return Number(value);
  return value === null ? 0 : Object.keys(value).length;
}
