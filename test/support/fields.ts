import type { JsonValue } from '../../src/json/json.ts';
import type { Finding } from '../../src/model/finding.ts';
import { draft, feature, project } from './bodies.ts';
import { shippedContract } from './gate.ts';

export const BODIES = { updateProject: project(), updateFeature: feature(), updateDraft: draft() };
export type Operation = keyof typeof BODIES;

/** What the schema of an operation says of a body. */
export function check(operation: Operation, body: unknown): Finding[] {
  return shippedContract()
    .load(operation)
    .bodies[0].check(body as JsonValue);
}

/** Every field of service-api section 2, where the bodies of test/support have it. */
const FIELDS: Record<Operation, Record<string, string>> = {
  updateProject: {
    '/name': 'string',
    '/languages': 'array',
    '/languages/0': 'string',
    '/environments': 'array',
    '/environments/0': 'object',
    '/environments/1/id': 'integer',
    '/environments/1/name': 'string',
    '/environments/1/isEnabled': 'boolean',
  },
  updateFeature: {
    '/name': 'string',
    '/description': 'string',
    '/type': 'string',
    '/goals': 'array',
    '/goals/0': 'object',
    '/goals/0/metricId': 'integer',
    '/variables': 'array',
    '/variables/0': 'object',
    '/variables/1/id': 'integer',
    '/variables/1/variableName': 'string',
    '/variables/1/dataType': 'string',
    '/variations': 'array',
    '/variations/0': 'object',
    '/variations/0/name': 'string',
    '/variations/0/key': 'string',
    '/variations/0/variables': 'array',
    '/variations/0/variables/1': 'object',
    '/variations/0/variables/1/variableId': 'integer',
    '/setting': 'object',
    '/setting/isEditable': 'boolean',
    '/setting/associatedCampaigns': 'array',
  },
  updateDraft: {
    '/draftId': 'integer',
    '/createdBy': 'integer',
    '/platform': 'string',
    '/isAdvancedMode': 'boolean',
    '/currentDraftStepIndex': 'integer',
    '/type': 'string',
    '/urls': 'array',
    '/urls/0': 'object',
    '/urls/0/type': 'string',
    '/urls/0/value': 'string',
    '/primaryUrl': 'string',
    '/globalSegment': 'object',
    '/globalSegment/segmentationType': 'string',
    '/globalSegment/platform': 'string',
    '/globalSegment/id': 'string',
    '/globalSegment/type': 'string',
    '/globalSegment/name': 'string',
    '/globalSegment/description': 'string',
    '/variations': 'array',
    '/variations/1': 'object',
    '/variations/1/platform': 'string',
    '/variations/1/id': 'integer',
    '/variations/1/name': 'string',
    '/variations/1/editorData': 'object',
    '/variations/1/editorData/stack': 'array',
    '/variations/1/editorData/stack/0': 'object',
    '/variations/1/editorData/stack/0/el': 'integer',
    '/variations/1/editorData/stack/0/op': 'object',
    '/variations/1/editorData/stack/0/op/opName': 'string',
    '/variations/1/editorData/stack/0/op/html': 'string',
    '/variations/1/editorData/stack/0/depending': 'boolean',
    '/variations/1/editorData/stack/0/XPath': 'string',
    '/variations/1/editorData/stack/0/parentTag': 'string',
    '/variations/1/deployContent': 'array',
    '/variations/1/deployContent/0': 'object',
    '/variations/1/deployContent/0/jsString': 'string',
    '/variations/1/deployContent/0/cssSelector': 'string',
    '/variations/1/segmentEligibility': 'string',
    '/variations/1/segment': 'object',
    '/variations/1/segment/type': 'string',
    '/variations/1/segment/eligibility': 'string',
    '/variations/1/percentSplit': 'integer',
    '/status': 'string',
    '/goals': 'array',
    '/goals/0': 'object',
    '/goals/0/id': 'integer',
    '/goals/0/name': 'string',
    '/goals/0/type': 'string',
    '/goals/0/isPrimary': 'boolean',
    '/goals/0/urls': 'array',
    '/goals/0/urls/0': 'object',
    '/goals/0/urls/0/type': 'string',
    '/goals/0/urls/0/value': 'string',
    '/goals/0/cssSelectors': 'array',
    '/name': 'string',
    '/newCampaignName': 'string',
    '/percentTraffic': 'integer',
    '/isHeatmapEnabled': 'boolean',
    '/numVariationsWithEligibilitySeg': 'integer',
    '/isCustomSplitEnabled': 'boolean',
    '/integrations': 'object',
    '/integrations/ga': 'object',
    '/integrations/ga/enabled': 'boolean',
    '/integrations/ga/slot': 'integer',
    '/integrations/ga/prefix': 'string',
    '/integrations/heatrecorder/enabled': 'boolean',
    '/integrations/ua': 'object',
    '/integrations/ua/enabled': 'boolean',
    '/integrations/ua/dimension': 'integer',
    '/integrations/ua/prefix': 'string',
    '/integrations/gtm': 'object',
    '/integrations/gtm/enabled': 'boolean',
    '/integrations/isGaPremium': 'boolean',
    '/isPostSegmentationEnabled': 'boolean',
  },
};

export const operations = Object.keys(BODIES) as Operation[];
export const everyField = operations.flatMap((operation) =>
  Object.entries(FIELDS[operation]).map(([pointer, type]) => ({ operation, pointer, type })),
);
/** Members only: an item of a list has no name. */
export const everyName = everyField.filter(({ pointer }) => !/\/\d+$/.test(pointer));
