import { type JsonObject, type JsonValue, listAt, member } from '../../json/json.ts';
import {
  type Aim,
  type Fitting,
  idOf,
  missingFrom,
  objectsAt,
  ofDataType,
  sharesOf,
  withOwnIds,
} from './fitting.ts';
import { copyOf } from './form.ts';

const some = { minItems: 1 };
const percent = { minimum: 0, maximum: 100 };

/** By the rule's name, in the order in which they are applied. Rules that are not here are satisfied by trying. */
export const FITTINGS: Readonly<Record<string, Fitting>> = {
  'project.empty-list': { schema: { properties: { languages: some, environments: some } } },
  'project.unique-language': { schema: { properties: { languages: { uniqueItems: true } } } },
  'project.environment-deleted': { apply: keepEnvironments },
  'project.environment-replaced': { apply: keepEnvironments },
  'project.language-removed': {
    apply(body, { known }) {
      const languages = listAt(body, 'languages');
      languages.push(...missingFrom(languages, listAt(known, 'languages'), (name) => name));
    },
  },
  'project.unique-environment-id': { apply: (body) => withOwnIds(body, 'environments') },
  'project.one-default-environment': {
    apply(body, { choose }) {
      const environments = objectsAt(body, 'environments');
      const chosen = choose(environments.length);
      for (const [index, environment] of environments.entries())
        if (typeof environment.isEnabled === 'boolean') environment.isEnabled = index === chosen;
    },
  },
  'feature.empty-update': { schema: { minProperties: 1 } },
  'feature.unique-variable-id': { apply: (body) => withOwnIds(body, 'variables') },
  'feature.unknown-variable': {
    apply(body, { known }) {
      if (!Array.isArray(member(known, 'variables'))) return;
      const has = new Set(listAt(known, 'variables').map(idOf));
      for (const variable of objectsAt(body, 'variables'))
        if (!has.has(variable.id ?? null)) delete variable.id;
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
  'draft.unique-variation-id': { apply: (body) => withOwnIds(body, 'variations') },
  'draft.split-sums-to-100': {
    apply(body) {
      const variations = objectsAt(body, 'variations');
      const weights = variations.map(({ percentSplit }) => percentSplit);
      if (!weights.every((weight) => typeof weight === 'number')) return;
      const shares = sharesOf(weights);
      for (const [index, variation] of variations.entries()) variation.percentSplit = shares[index] as number;
    },
  },
};

/** What is sent, and what else the project has. */
function keepEnvironments(body: JsonObject, { known }: Aim): void {
  const sent = listAt(body, 'environments');
  sent.push(...missingFrom(sent, listAt(known, 'environments'), idOf).map(copyOf));
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
