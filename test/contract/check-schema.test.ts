import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { furtherSchemaRules, SCHEMA_RULES, schemaRule } from '../../src/contract/check-schema.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { FindingBounds } from '../../src/model/finding-bounds.ts';
import { draft, feature, project } from '../support/bodies.ts';
import { renamed, valueAt, without, withValue } from '../support/edit-json.ts';
import { BODIES, check, everyField, everyName, type Operation, operations } from '../support/fields.ts';
import { brief, shippedContract } from '../support/gate.ts';

const SAMPLES: Record<string, JsonValue[]> = {
  string: ['text'],
  integer: [1],
  number: [1.5],
  boolean: [true, false],
  array: [[], [{}]],
  object: [{}, { length: 0 }],
  null: [null],
};

describe.each(operations)('%s', (operation) => {
  it('has nothing to say of a body with every field', () => {
    expect(check(operation, BODIES[operation])).toEqual([]);
  });

  it('wants an object', () => {
    for (const body of [null, [], 'x', 1, true])
      expect(brief(check(operation, body))).toEqual(['schema.type error']);
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

  it.each(everyName.filter(({ operation }) => operation !== 'updateProject'))(
    'is not $pointer of $operation',
    ({ operation, pointer }) => {
      expect(check(operation, without(BODIES[operation], pointer))).toEqual([]);
    },
  );
});

describe('many errors', () => {
  function judged(body: JsonValue): { said: string[]; count: number } {
    const bounds = new FindingBounds();
    const findings = shippedContract().load('updateProject').bodies[0].check(body, bounds);
    return { said: brief(findings), count: findings.length + bounds.omitted };
  }

  const many = <T>(item: T): T[] => Array<T>(5000).fill(item);

  it('lets a flood of one error hide no other, behind it either', () => {
    const environments = [...many({}), { id: 1, name: 2, isEnabled: true, Name: 'x', other: 1 }];
    const { said, count } = judged({ name: 'x', languages: many('COBOL'), environments });
    expect(said).toEqual(
      expect.arrayContaining([
        'schema.required error /environments/0/id',
        'schema.required error /environments/99/isEnabled',
        'schema.type error /environments/5000/name',
        'schema.field-case error /environments/5000/Name',
        'schema.unknown-field warn /environments/5000/other',
      ]),
    );
    expect(count).toBe(5000 + 3 * 5000 + 3);
  });

  it('proposes the listed value that is nearly the given one, and none for others', () => {
    const findings = check('updateProject', {
      name: 'x',
      languages: ['nodejs', 'PYTON', 'COBOL'],
      environments: [],
    });
    const hints = findings.filter(({ rule }) => rule === 'schema.enum').map(({ hint }) => hint);
    expect(hints.slice(0, 2)).toEqual(['did you mean "NODEJS"?', 'did you mean "PYTHON"?']);
    expect(hints[2] ?? '').not.toContain('did you mean');
  });
});

describe('schema rules', () => {
  const names = [...Object.keys(SCHEMA_RULES), ...furtherSchemaRules()];

  it('each keyword of Ajv that can fail has a rule of its name', () => {
    // These only gather the errors of what stands in them; `dependencies`, `$recursiveRef` and the like are of older drafts.
    const silent =
      /^(\$|id$|definitions|if|then|else|allOf|properties|patternProperties|prefixItems|propertyNames|dependentSchemas|dependencies|additionalItems|(min|max)Contains|next|(content|un)?[mM]edia|contentEncoding|contentSchema|title|description|default|deprecated|readOnly|writeOnly|examples|nullable|discriminator)/;
    const keywords = Object.keys(new Ajv2020().RULES.all).filter((keyword) => !silent.test(keyword));
    expect(keywords).toContain('minLength');
    for (const keyword of keywords) expect(names).toContain(schemaRule(keyword).name);
  });
});

describe('annotations', () => {
  it.each<[Operation, unknown, string, string]>([
    ['updateProject', project(), '/name', 'service-api 2.1'],
    ['updateProject', project(), '/environments/0/id', 'service-api 2.1'],
    ['updateFeature', feature(), '/variations/0/variables/0/variableId', 'service-api 2.2'],
    ['updateDraft', draft(), '/variations/1/editorData/stack/0/op/html', 'service-api 2.3'],
    ['updateDraft', draft(), '/goals/0/urls/0/value', 'service-api 2.3'],
    ['updateDraft', draft(), '/integrations/heatrecorder/enabled', 'service-api 2.3'],
  ])('%s rests, at any depth, on its paragraph: %#', (operation, body, pointer, source) => {
    expect(check(operation, withValue(body, pointer, null))).toMatchObject([{ pointer, source }]);
  });
});
