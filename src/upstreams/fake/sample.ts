import type { State } from './seed.ts';

/** Project 42. */
export const PROJECT = {
  name: 'Checkout',
  languages: ['NODEJS', 'PYTHON'],
  environments: [
    { id: 1, name: 'Production', isEnabled: true },
    { id: 2, name: 'Staging', isEnabled: false },
    { id: 3, name: 'Development', isEnabled: false },
  ],
};

const FEATURE = {
  name: 'New cart',
  description: 'Cart with one page',
  type: 'feature',
  goals: [{ metricId: 11 }, { metricId: 12 }],
  variables: [
    { id: 101, variableName: 'title', dataType: 'string', defaultValue: 'Cart' },
    { id: 102, variableName: 'limit', dataType: 'int', defaultValue: 5 },
  ],
  variations: [{ name: 'Default', key: 'default', variables: [{ variableId: 101, value: 'Cart' }] }],
  setting: { isEditable: true, associatedCampaigns: [] },
};

const DRAFT_VARIATION = {
  platform: 'website',
  deployContent: [],
  segmentEligibility: 'ALL',
  segment: { type: 'custom', eligibility: 'ALL' },
  percentSplit: 50,
};

const DRAFT = {
  draftId: 1001,
  createdBy: 5,
  platform: 'website',
  isAdvancedMode: false,
  currentDraftStepIndex: 3,
  type: 'ab',
  urls: [{ type: 'url', value: 'https://shop.example/cart' }],
  primaryUrl: 'https://shop.example/cart',
  globalSegment: {
    segmentationType: 'pre',
    platform: 'website',
    id: '3',
    type: 'predefined',
    name: 'All visitors',
    description: 'Everyone',
  },
  variations: [
    { ...DRAFT_VARIATION, id: 1, name: 'Control', editorData: { stack: [] } },
    { ...DRAFT_VARIATION, id: 2, name: 'Variation-1', editorData: { stack: [] } },
  ],
  status: 'draft',
  goals: [
    {
      id: 1,
      name: 'Visit',
      type: 'visitPage',
      isPrimary: true,
      urls: [{ type: 'url', value: 'https://shop.example/thanks' }],
      cssSelectors: [],
    },
  ],
  name: 'Campaign 1',
  newCampaignName: 'Cart test',
  percentTraffic: 100,
  isHeatmapEnabled: true,
  numVariationsWithEligibilitySeg: 0,
  isCustomSplitEnabled: false,
  integrations: {
    ga: { enabled: false, slot: 1, prefix: 'p' },
    ua: { enabled: false, dimension: 1, prefix: 'p' },
    gtm: { enabled: false },
    isGaPremium: false,
  },
  isPostSegmentationEnabled: false,
};

/** What the fake holds without a seed. The second account gives an integer account id (section 4) an answer too. */
export const SAMPLE: State = {
  accounts: {
    current: { projects: { 42: PROJECT }, features: { 7: FEATURE }, drafts: { 1001: DRAFT } },
    196: { projects: { 42: PROJECT }, features: { 7: FEATURE }, drafts: { 1001: DRAFT } },
  },
};
