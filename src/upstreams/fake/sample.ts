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

const VARIATION = { platform: 'website', deployContent: [], segmentEligibility: 'ALL', percentSplit: 50 };

const DRAFT = {
  draftId: 1001,
  createdBy: 5,
  platform: 'website',
  type: 'ab',
  status: 'draft',
  name: 'Campaign 1',
  newCampaignName: 'Cart test',
  urls: [{ type: 'url', value: 'https://shop.example/cart' }],
  primaryUrl: 'https://shop.example/cart',
  goals: [{ id: 1, name: 'Visit', type: 'visitPage', isPrimary: true, urls: [], cssSelectors: [] }],
  variations: [
    { ...VARIATION, id: 1, name: 'Control' },
    { ...VARIATION, id: 2, name: 'Variation-1' },
  ],
  percentTraffic: 100,
};

/** What the fake holds without a seed. The second account gives an integer account id (section 4) an answer too. */
export const SAMPLE: State = {
  accounts: {
    current: { projects: { 42: PROJECT }, features: { 7: FEATURE }, drafts: { 1001: DRAFT } },
    196: { projects: { 42: PROJECT }, features: { 7: FEATURE }, drafts: { 1001: DRAFT } },
  },
};
