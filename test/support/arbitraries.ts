/** Bodies that the contract has nothing against, for fast-check. */
import fc, { type Arbitrary } from 'fast-check';
import type { JsonValue } from '../../src/json/json.ts';
import {
  anyObject,
  anything,
  few,
  float,
  integer,
  memberName,
  seen,
  some,
  text,
  url,
} from './arbitrary-values.ts';

const LANGUAGES = ['NODEJS', 'PYTHON', 'PHP', 'JAVA', 'DOTNET', 'RUBY', 'GO', 'JAVASCRIPT'];

export const projectBody: Arbitrary<JsonValue> = fc.record(
  {
    name: text,
    languages: few(fc.constantFrom(...LANGUAGES)),
    environments: fc.uniqueArray(
      fc.record({ id: integer, name: text, isEnabled: fc.boolean() }, { noNullPrototype: true }),
      { minLength: 1, maxLength: 6, selector: ({ id }) => id + 0 },
    ),
  },
  { noNullPrototype: true },
);

/** A value for each kind of variable. */
const valueByType = fc.record({
  string: text,
  integer,
  int: integer,
  float: fc.oneof(float, integer),
  boolean: fc.boolean(),
  json: anyObject,
  double: anything,
});
type DataType = 'string' | 'integer' | 'int' | 'float' | 'boolean' | 'json' | 'double';
const dataType = fc.constantFrom<DataType[]>(
  'string',
  'integer',
  'int',
  'float',
  'boolean',
  'json',
  'double',
);

const variable = fc
  .record({ id: fc.option(integer), variableName: text, dataType, values: valueByType })
  .map(({ id, variableName, dataType: type, values }) => ({
    ...(id === null ? {} : { id }),
    variableName,
    dataType: type,
    defaultValue: values[type] as JsonValue,
  }));

export const featureBody: Arbitrary<JsonValue> = fc
  .record({
    rest: some({
      name: text,
      description: text,
      type: seen('feature'),
      goals: few(some({ metricId: integer })),
      setting: some({ isEditable: fc.boolean(), associatedCampaigns: few(anything) }),
    }),
    variables: fc.option(few(variable)),
    variations: fc.option(
      few(
        fc.record({
          rest: some({ name: text, key: text }),
          // Which of the variables, and a value for whatever that one's type is.
          values: few(fc.record({ which: fc.nat(3), values: valueByType })),
        }),
      ),
    ),
  })
  .map(({ rest, variables, variations }) => ({
    ...rest,
    ...(variables && { variables }),
    ...(variations && {
      variations: variations.map((variation) => ({
        ...variation.rest,
        variables: variation.values.flatMap(({ which, values }) => {
          const meant = variables?.[which];
          return meant?.id === undefined
            ? []
            : [{ variableId: meant.id, value: values[meant.dataType] as JsonValue }];
        }),
      })),
    }),
  }));

const urls = few(
  fc.oneof(
    some({ type: fc.constant('url'), value: url }),
    // Of another type nobody knows what its value must be.
    fc.record({ type: fc.constantFrom('pattern', 'regex', 'URL'), value: text }),
  ),
);
const editOperation = some({
  el: integer,
  op: some({ opName: seen('html'), html: text }),
  depending: fc.boolean(),
  XPath: text,
  parentTag: text,
});
const draftVariation = some({
  platform: seen('website'),
  id: integer,
  name: text,
  editorData: some({ stack: few(editOperation) }),
  deployContent: few(some({ jsString: text, cssSelector: text })),
  segmentEligibility: seen('ALL'),
  segment: some({ type: seen('custom'), eligibility: seen('ALL') }),
  percentSplit: integer,
});
const draftGoal = some({
  id: integer,
  name: text,
  type: seen('visitPage'),
  isPrimary: fc.boolean(),
  urls,
  cssSelectors: few(anything),
});
const integrations = fc
  .tuple(
    some({
      ga: some({ enabled: fc.boolean(), slot: integer, prefix: text }),
      ua: some({ enabled: fc.boolean(), dimension: integer, prefix: text }),
      gtm: some({ enabled: fc.boolean() }),
      isGaPremium: fc.boolean(),
    }),
    fc.dictionary(
      fc.oneof(fc.constantFrom('heatrecorder', 'clarity', 'x-1', 'constructor'), memberName),
      some({ enabled: fc.boolean() }),
      { maxKeys: 2, noNullPrototype: true },
    ),
  )
  // Names that differ from a listed one in letter case, `_` or `-` alone are misspelt.
  .map(([listed, tools]) => ({
    ...Object.fromEntries(
      Object.entries(tools).filter(
        ([name]) => !/^(?:ga|ua|gtm|isgapremium)$/.test(name.replace(/[_-]/g, '').toLowerCase()),
      ),
    ),
    ...listed,
  }));

/** @param id the draft's, in the path */
export function draftBody(id: number): Arbitrary<JsonValue> {
  return some({
    draftId: fc.constant(id),
    createdBy: integer,
    platform: seen('website'),
    isAdvancedMode: fc.boolean(),
    currentDraftStepIndex: integer,
    type: seen('ab'),
    urls,
    primaryUrl: url,
    globalSegment: some({
      segmentationType: seen('pre'),
      platform: seen('website'),
      id: fc.oneof(fc.nat().map(String), text),
      type: seen('predefined'),
      name: text,
      description: text,
    }),
    variations: few(draftVariation),
    status: seen('draft'),
    goals: few(draftGoal),
    name: text,
    newCampaignName: text,
    percentTraffic: integer,
    isHeatmapEnabled: fc.boolean(),
    numVariationsWithEligibilitySeg: integer,
    isCustomSplitEnabled: fc.boolean(),
    integrations,
    isPostSegmentationEnabled: fc.boolean(),
  });
}
