import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/finding.ts';
import { FindingBounds } from '../../src/model/finding-bounds.ts';
import type { JsonValue } from '../../src/model/json.ts';
import { draft, feature, project } from '../support/bodies.ts';
import { renamed, valueAt, without, withValue } from '../support/edit-json.ts';
import { brief, shippedContract } from '../support/gate.ts';

const BODIES = { updateProject: project(), updateFeature: feature(), updateDraft: draft() };
type Operation = keyof typeof BODIES;

function check(operation: Operation, body: unknown): Finding[] {
  return shippedContract()
    .load(operation)
    .check(body as JsonValue);
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

const SAMPLES: Record<string, JsonValue[]> = {
  string: ['text'],
  integer: [1],
  number: [1.5],
  boolean: [true, false],
  array: [[], [{}]],
  object: [{}, { length: 0 }],
  null: [null],
};

const operations = Object.keys(BODIES) as Operation[];
const everyField = operations.flatMap((operation) =>
  Object.entries(FIELDS[operation]).map(([pointer, type]) => ({ operation, pointer, type })),
);
/** Members only: an item of a list has no name. */
const everyName = everyField.filter(({ pointer }) => !/\/\d+$/.test(pointer));

describe.each(operations)('%s', (operation) => {
  it('has nothing to say of a body with every field', () => {
    expect(check(operation, BODIES[operation])).toEqual([]);
  });

  it('wants an object', () => {
    for (const body of [null, [], 'x', 1, true])
      expect(brief(check(operation, body))).toEqual(['schema.type error']);
  });

  it('is tested with every member of that body', () => {
    const open = /\/(defaultValue|value)$|^\/integrations\/heatrecorder$/;
    const visit = (value: unknown, pointer: string) => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, inner] of Object.entries(value)) {
        const generic = `${pointer}/${name}`.replace(/\/\d+(?=\/|$)/g, '/N');
        if (!open.test(generic) && !/\/N$/.test(generic)) names.add(generic);
        visit(inner, `${pointer}/${name}`);
      }
    };
    const names = new Set<string>();
    visit(BODIES[operation], '');
    const tested = new Set(
      everyName
        .filter((field) => field.operation === operation && !open.test(field.pointer))
        .map(({ pointer }) => pointer.replace(/\/\d+(?=\/|$)/g, '/N')),
    );
    expect([...names].sort()).toEqual([...tested].sort());
  });
});

it.each(everyField)('$operation $pointer must be: $type', ({ operation, pointer, type }) => {
  expect(valueAt(BODIES[operation], pointer)).toBeDefined();
  for (const [kind, values] of Object.entries(SAMPLES)) {
    if (kind === type) continue;
    for (const value of values) {
      const findings = check(operation, withValue(BODIES[operation], pointer, value));
      // An item of languages is then none of those that there are, either.
      const found = brief(findings).filter((text) => !text.startsWith('schema.enum'));
      expect({ value, found }).toEqual({ value, found: [`schema.type error ${pointer}`] });
      expect(findings[0]?.basis).toBe('stated');
    }
  }
});

it.each(everyName)('$operation $pointer is spelt so and not otherwise', ({ operation, pointer }) => {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  const parent = pointer.slice(0, pointer.lastIndexOf('/'));
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const variants = new Set([
    name.toUpperCase(),
    name.toLowerCase(),
    snake,
    snake.replaceAll('_', '-'),
    `_${name}`,
    `${name[0]?.toUpperCase()}${name.slice(1)}`,
  ]);
  variants.delete(name);
  for (const variant of variants) {
    const findings = check(operation, renamed(BODIES[operation], pointer, variant));
    const [finding, ...others] = findings.filter(({ rule }) => rule !== 'schema.required');
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      rule: 'schema.field-case',
      severity: 'error',
      basis: 'stated',
      pointer: `${parent}/${variant}`,
    });
    expect(finding?.hint).toContain(`"${name}"`);
    // Beside the right one as well.
    const both = withValue(BODIES[operation], `${parent}/${variant}`, valueAt(BODIES[operation], pointer));
    expect(brief(check(operation, both))).toEqual([`schema.field-case error ${parent}/${variant}`]);
  }
});

describe('an unlisted field', () => {
  const objects = everyField.filter(({ type, pointer }) => type === 'object' && pointer !== '/integrations');
  const places = [...operations.map((operation) => ({ operation, pointer: '' })), ...objects];

  it.each([...places, { operation: 'updateDraft' as const, pointer: '/integrations/heatrecorder' }])(
    'in $operation $pointer warns',
    ({ operation, pointer }) => {
      for (const value of [null, 1, {}, [[]]]) {
        const body = withValue(BODIES[operation], `${pointer}/unlisted`, value);
        expect(check(operation, body)).toMatchObject([
          {
            rule: 'schema.unknown-field',
            severity: 'warn',
            basis: 'inferred',
            pointer: `${pointer}/unlisted`,
          },
        ]);
      }
    },
  );

  it('is told what it may have been meant to be', () => {
    const [finding] = check('updateProject', { ...project(), enviroments: [] });
    expect(finding).toMatchObject({ pointer: '/enviroments', hint: 'did you mean "environments"?' });
    const [other] = check('updateProject', { ...project(), owner: 1 });
    expect(other?.hint).toBe('the service may ignore or refuse it: check its name');
  });

  it.each(['toString', 'constructor', 'hasOwnProperty', 'a/b', '~', ''])('can be called %j', (name) => {
    const body = { ...project(), [name]: 1 };
    const pointer = name === 'a/b' ? '/a~1b' : name === '~' ? '/~0' : `/${name}`;
    expect(check('updateProject', body)).toMatchObject([{ rule: 'schema.unknown-field', pointer }]);
  });

  it('can be called __proto__', () => {
    const body = JSON.parse(JSON.stringify(project()).replace('{', '{"__proto__":{"name":1},'));
    expect(brief(check('updateProject', body))).toEqual(['schema.unknown-field warn /__proto__']);
  });

  it('is never taken for a mandatory one, nor lends a member', () => {
    const body = JSON.parse(
      '{"__proto__":{"name":"a","languages":[],"environments":[]},"name":"a","languages":["GO"]}',
    );
    expect(brief(check('updateProject', body)).sort()).toEqual([
      'schema.required error /environments',
      'schema.unknown-field warn /__proto__',
    ]);
  });
});

describe('what is mandatory', () => {
  it.each(['name', 'languages', 'environments'])('of a project: %s', (field) => {
    const findings = check('updateProject', without(project(), `/${field}`));
    expect(findings).toMatchObject([
      {
        rule: 'schema.required',
        severity: 'error',
        basis: 'stated',
        pointer: `/${field}`,
        message: `/${field} is missing`,
        source: 'service-api 4.1 rule 1',
      },
    ]);
    expect(findings[0]?.hint).toContain('partial update is not supported');
  });

  it.each(['id', 'name', 'isEnabled'])('of an environment: %s', (field) => {
    const pointer = `/environments/1/${field}`;
    expect(check('updateProject', without(project(), pointer))).toMatchObject([
      {
        rule: 'schema.required',
        severity: 'error',
        basis: 'inferred',
        pointer,
        source: 'service-api 4.1 rules 2 and 4',
      },
    ]);
  });

  it('is told all at once', () => {
    expect(brief(check('updateProject', { environments: [{}] })).sort()).toEqual([
      'schema.required error /environments/0/id',
      'schema.required error /environments/0/isEnabled',
      'schema.required error /environments/0/name',
      'schema.required error /languages',
      'schema.required error /name',
    ]);
  });

  it.each(everyName.filter(({ operation }) => operation !== 'updateProject'))(
    'is not $pointer of $operation',
    ({ operation, pointer }) => {
      expect(check(operation, without(BODIES[operation], pointer))).toEqual([]);
    },
  );

  it('is nothing of an empty feature or draft', () => {
    expect(check('updateFeature', {})).toEqual([]);
    expect(check('updateDraft', {})).toEqual([]);
  });
});

describe('the values that the description shows', () => {
  const OBSERVED: [Operation, string, string[], string][] = [
    ['updateFeature', '/type', ['feature'], 'rollout'],
    [
      'updateFeature',
      '/variables/0/dataType',
      ['string', 'integer', 'json', 'int', 'boolean', 'float'],
      'String',
    ],
    ['updateDraft', '/platform', ['website'], 'mobile'],
    ['updateDraft', '/type', ['ab'], 'AB'],
    ['updateDraft', '/urls/0/type', ['url'], 'pattern'],
    ['updateDraft', '/globalSegment/segmentationType', ['pre'], 'post'],
    ['updateDraft', '/globalSegment/platform', ['website'], ''],
    ['updateDraft', '/globalSegment/id', ['0', '123456789012345678901234567890'], '12a'],
    ['updateDraft', '/globalSegment/type', ['predefined'], 'own'],
    ['updateDraft', '/variations/1/platform', ['website'], 'mobile'],
    ['updateDraft', '/variations/1/segmentEligibility', ['ALL'], 'all'],
    ['updateDraft', '/variations/1/segment/type', ['custom'], 'none'],
    ['updateDraft', '/variations/1/segment/eligibility', ['ALL'], 'ANY'],
    ['updateDraft', '/variations/1/editorData/stack/0/op/opName', ['html'], 'text'],
    ['updateDraft', '/status', ['draft'], 'running'],
    ['updateDraft', '/goals/0/type', ['visitPage'], 'click'],
    ['updateDraft', '/goals/0/urls/0/type', ['url'], 'URL'],
  ];

  it.each(OBSERVED)('%s %s is one of %j; %j warns', (operation, pointer, seen, other) => {
    for (const value of seen)
      expect(check(operation, withValue(BODIES[operation], pointer, value))).toEqual([]);
    expect(check(operation, withValue(BODIES[operation], pointer, other))).toMatchObject([
      { rule: 'schema.observed', severity: 'warn', basis: 'observed', pointer },
    ]);
  });

  it.each(everyField.filter(({ type }) => type === 'string'))(
    '$operation $pointer is otherwise free',
    (field) => {
      const { operation, pointer } = field;
      if (
        OBSERVED.some(
          ([of, at]) => of === operation && at.replace('/0/', '/1/') === pointer.replace('/0/', '/1/'),
        )
      )
        return;
      if (/primaryUrl|urls\/0\/value|languages\/0/.test(pointer)) return;
      for (const value of ['', 'é💡', '\u0000', 'x'.repeat(10_000)])
        expect(check(operation, withValue(BODIES[operation], pointer, value))).toEqual([]);
    },
  );

  it('of languages are all there are', () => {
    for (const language of ['NODEJS', 'PYTHON', 'PHP', 'JAVA', 'DOTNET', 'RUBY', 'GO', 'JAVASCRIPT'])
      expect(check('updateProject', { ...project(), languages: [language] })).toEqual([]);
    const findings = check('updateProject', { ...project(), languages: ['GO', 'go', 'COBOL'] });
    expect(brief(findings)).toEqual(['schema.enum error /languages/1', 'schema.enum error /languages/2']);
    expect(findings[1]?.message).toBe(
      '/languages/2 must be one of "NODEJS", "PYTHON", "PHP", "JAVA", "DOTNET", "RUBY", "GO", "JAVASCRIPT", not "COBOL"',
    );
  });
});

describe('numbers', () => {
  it('with a fraction of nothing are integers, and no bounds are invented', () => {
    const body = JSON.parse(
      '{"draftId":7.0,"createdBy":1e3,"percentTraffic":-5,"currentDraftStepIndex":4294967296}',
    );
    expect(check('updateDraft', body)).toEqual([]);
  });

  it('are told from texts in words', () => {
    expect(check('updateDraft', { draftId: '7', createdBy: 1.5 })).toMatchObject([
      { message: '/draftId must be an integer, not a string' },
      { message: '/createdBy must be an integer, not a number with a fraction' },
    ]);
  });
});

describe('URLs', () => {
  const PLACES = ['/primaryUrl', '/urls/0/value', '/goals/0/urls/0/value'];

  it.each(PLACES)('%s is one that WHATWG knows', (pointer) => {
    const findings = (value: string) => check('updateDraft', withValue(draft(), pointer, value));
    for (const url of [
      'http://localhost',
      'HTTPS://Shop.example.com/a b?c#d',
      'http://[::1]:8080/',
      'https://é.example/',
    ])
      expect(findings(url)).toEqual([]);
    for (const url of ['shop.example.com', '/path', 'https://', 'http://a:b:c', ' ', 'https://exa mple.com'])
      expect(findings(url)).toMatchObject([
        {
          rule: 'schema.format',
          severity: 'error',
          basis: 'inferred',
          pointer,
          message: `${pointer} is no URL: ${JSON.stringify(url)}`,
        },
      ]);
    expect(findings('')).toMatchObject([
      {
        rule: 'schema.format',
        severity: 'warn',
        basis: 'inferred',
        pointer,
        message: `${pointer} is empty, not a URL`,
      },
    ]);
    for (const url of ['ftp://example.com/', 'javascript:alert(1)', 'about:blank', 'localhost:80'])
      expect(findings(url)).toMatchObject([{ rule: 'schema.format', severity: 'warn', pointer }]);
  });

  it('are known the thousandth time as well', () => {
    // Node 20 has a URL.canParse that forgets how to read é once it is optimised.
    const body = { primaryUrl: 'https://é.example/' };
    const operation = shippedContract().load('updateDraft');
    const findings = Array.from({ length: 20_000 }, () => operation.check(body)).flat();
    expect(findings).toEqual([]);
  });

  it('are judged where the type is url or absent', () => {
    const findings = (item: object) => brief(check('updateDraft', { urls: [item] }));
    expect(findings({ value: 'x' })).toEqual(['schema.format error /urls/0/value']);
    expect(findings({ type: 'url', value: 'x' })).toEqual(['schema.format error /urls/0/value']);
    expect(findings({ type: 'pattern', value: 'x' })).toEqual(['schema.observed warn /urls/0/type']);
    expect(findings({ type: 'pattern', value: 1 }).sort()).toEqual([
      'schema.observed warn /urls/0/type',
      'schema.type error /urls/0/value',
    ]);
    expect(findings({ type: 'url' })).toEqual([]);
    expect(findings({ type: 'url', value: 1 })).toEqual(['schema.type error /urls/0/value']);
  });
});

describe('further keys of integrations', () => {
  const findings = (integrations: object) => brief(check('updateDraft', { integrations }));

  it.each(['heatrecorder', 'recorder_x', 'x', '<recording_tool>', 'a/b', 'toString', 'isPremium'])(
    '%s holds an object',
    (key) => {
      expect(findings({ [key]: {} })).toEqual([]);
      expect(findings({ [key]: { enabled: true } })).toEqual([]);
    },
  );

  it('have an enabled that is a boolean', () => {
    for (const enabled of ['true', 1, null, {}])
      expect(findings({ tool: { enabled } })).toEqual(['schema.type error /integrations/tool/enabled']);
    expect(findings({ 'a/b': { enabled: 1 } })).toEqual(['schema.type error /integrations/a~1b/enabled']);
  });

  it('have no other listed field', () => {
    expect(findings({ tool: { Enabled: true } })).toEqual([
      'schema.field-case error /integrations/tool/Enabled',
    ]);
    expect(findings({ tool: { slot: 1 } })).toEqual(['schema.unknown-field warn /integrations/tool/slot']);
  });

  it('that hold anything else are unlisted fields', () => {
    for (const value of [true, 'on', 1, null, [], [{ enabled: 1 }]])
      expect(findings({ tool: value })).toEqual(['schema.unknown-field warn /integrations/tool']);
  });

  it.each(['GTM', 'Ga', 'u-a', 'isGAPremium', 'is_ga_premium'])(
    'are not %s, which is a listed one spelt wrong',
    (key) => {
      expect(findings({ [key]: { enabled: true } })).toEqual([
        `schema.field-case error /integrations/${key}`,
      ]);
      expect(findings({ [key]: { slot: 1, enabled: 1 } }).sort()).toEqual([
        `schema.field-case error /integrations/${key}`,
        `schema.type error /integrations/${key}/enabled`,
      ]);
      expect(findings({ [key]: true })).toEqual([`schema.field-case error /integrations/${key}`]);
    },
  );
});

it('says nothing of the shape of values that the rule on dataType judges', () => {
  for (const value of [null, 1.5, 'x', true, [1], { a: { b: [] } }]) {
    const body = { variables: [{ defaultValue: value }], variations: [{ variables: [{ value }] }] };
    expect(check('updateFeature', body)).toEqual([]);
  }
});

it('leaves findings out past a bound, and counts them', () => {
  const bounds = new FindingBounds();
  const body = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`f${index}`, 1]));
  const findings = shippedContract()
    .load('updateFeature')
    .check({ ...body, goals: 1 }, bounds);
  expect(brief(findings)).toContain('schema.type error /goals');
  expect(findings.length).toBeLessThan(2000);
  expect(findings.length + bounds.omitted).toBe(150_001);
});
