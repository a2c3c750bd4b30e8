/** Bodies that the gate has nothing to say of, with every field of service-api section 2. Each call makes a new one. */

export function project() {
  return {
    name: 'Checkout',
    languages: ['NODEJS', 'GO'],
    environments: [
      { id: 1, name: 'Production', isEnabled: true },
      { id: 2, name: 'Staging', isEnabled: false },
    ],
  };
}

/** Another one, with other names and ids. */
export function shop() {
  return {
    name: 'Shop',
    languages: ['GO', 'RUBY'],
    environments: [
      { id: 1, name: 'Live', isEnabled: true },
      { id: 31, name: 'QA', isEnabled: false },
    ],
  };
}

export function feature() {
  return {
    name: 'Free shipping',
    description: 'Who pays for the parcel',
    type: 'feature',
    goals: [{ metricId: 11 }],
    variables: [
      { id: 1, variableName: 'label', dataType: 'string', defaultValue: 'Free' },
      { id: 2, variableName: 'limit', dataType: 'integer', defaultValue: 50 },
    ],
    variations: [
      {
        name: 'On',
        key: 'on',
        variables: [
          { variableId: 1, value: 'Gratis' },
          { variableId: 2, value: 40 },
        ],
      },
    ],
    setting: { isEditable: true, associatedCampaigns: [] },
  };
}

export function draft() {
  return {
    draftId: 1001,
    createdBy: 5,
    platform: 'website',
    isAdvancedMode: false,
    currentDraftStepIndex: 2,
    type: 'ab',
    urls: [{ type: 'url', value: 'https://shop.example.com/' }],
    primaryUrl: 'https://shop.example.com/',
    globalSegment: {
      segmentationType: 'pre',
      platform: 'website',
      id: '12',
      type: 'predefined',
      name: 'Everyone',
      description: '',
    },
    variations: [
      {
        platform: 'website',
        id: 1,
        name: 'Control',
        editorData: { stack: [] },
        deployContent: [],
        segmentEligibility: 'ALL',
        segment: { type: 'custom', eligibility: 'ALL' },
        percentSplit: 50,
      },
      {
        platform: 'website',
        id: 2,
        name: 'Red button',
        editorData: {
          stack: [
            {
              el: 3,
              op: { opName: 'html', html: '<b>Buy</b>' },
              depending: false,
              XPath: '/html/body/button',
              parentTag: 'body',
            },
          ],
        },
        deployContent: [{ jsString: 'void 0', cssSelector: '#buy' }],
        segmentEligibility: 'ALL',
        segment: { type: 'custom', eligibility: 'ALL' },
        percentSplit: 50,
      },
    ],
    status: 'draft',
    goals: [
      {
        id: 9,
        name: 'Thanks page',
        type: 'visitPage',
        isPrimary: true,
        urls: [{ type: 'url', value: 'https://shop.example.com/thanks' }],
        cssSelectors: [],
      },
    ],
    name: 'Button colour',
    newCampaignName: 'Button colour 2',
    percentTraffic: 100,
    isHeatmapEnabled: true,
    numVariationsWithEligibilitySeg: 0,
    isCustomSplitEnabled: false,
    integrations: {
      ga: { enabled: true, slot: 1, prefix: 'ab' },
      heatrecorder: { enabled: true },
      ua: { enabled: false, dimension: 2, prefix: 'ab' },
      gtm: { enabled: true },
      isGaPremium: false,
    },
    isPostSegmentationEnabled: false,
  };
}
