import { describe, expect, it } from 'vitest';
import draft from '../../../schemas/update-draft.json' with { type: 'json' };
import { example } from '../../../src/testing/builders/example.ts';
import { shop } from '../../support/bodies.ts';
import { contractFolder, FLAG_SCHEMA, flagContract } from '../../support/contract-folder.ts';
import { refusal } from '../../support/errors.ts';
import {
  brief,
  DRAFT_URL,
  FEATURE_URL,
  gate,
  PROJECT_URL,
  patch,
  shippedContract,
} from '../../support/gate.ts';
import { ORDERS } from '../../support/orders-contract.ts';
import { shouting } from '../../support/team-rule.ts';

const OPERATIONS = { updateProject: PROJECT_URL, updateFeature: FEATURE_URL, updateDraft: DRAFT_URL };

describe('an example', () => {
  it.each(Object.entries(OPERATIONS))(
    'of %s is one that the gate has nothing to say of',
    (operation, url) => {
      const id = url.split('/').at(-1);
      const { verdict } = gate().inspect(patch(url, example(operation, {}, { id })));
      expect(verdict).toEqual({ outcome: 'pass', operation, findings: [], omitted: 0 });
      const minimal = example(operation, {}, { only: 'required' });
      expect(brief(gate().inspect(patch(url, minimal)).verdict.findings)).toEqual([]);
      expect(JSON.stringify(minimal).length).toBeLessThan(JSON.stringify(example(operation)).length);
    },
  );

  it('is readable, and always the same', () => {
    expect(example('updateProject')).toEqual({
      name: 'Checkout',
      languages: ['NODEJS', 'PYTHON'],
      environments: [
        { id: 1, name: 'Production', isEnabled: true },
        { id: 2, name: 'Staging', isEnabled: false },
      ],
    });
    expect(example('updateFeature')).toMatchObject({
      type: 'feature',
      variables: [
        { id: 1, dataType: 'string', defaultValue: 'Free' },
        { id: 2, dataType: 'integer', defaultValue: 50 },
      ],
      variations: [
        { variables: [{ variableId: 1, value: 'Gratis' }] },
        { variables: [{ variableId: 2, value: 40 }] },
      ],
    });
    expect(example('updateDraft', {}, { id: 1001 })).toMatchObject({
      draftId: 1001,
      platform: 'website',
      variations: [{ percentSplit: 50 }, { percentSplit: 50 }],
    });
    expect(example('updateDraft')).toEqual(example('updateDraft'));
  });

  it('has every field that the contract lists', () => {
    for (const operation of Object.keys(OPERATIONS)) {
      const { schema } = shippedContract().load(operation);
      const { properties } = schema as { properties: object };
      expect(Object.keys(example(operation))).toEqual(Object.keys(properties));
    }
    expect(Object.keys(example<{ variations: object[] }>('updateDraft').variations[0] ?? {})).toEqual(
      Object.keys(draft.$defs.variation.properties),
    );
  });

  it('is a copy of its own', () => {
    const first = example<{ environments: object[] }>('updateProject');
    first.environments.push({});
    expect(example<{ environments: object[] }>('updateProject').environments).toHaveLength(2);
  });

  it('takes other members, and leaves some out', () => {
    const body = example('updateProject', { name: 'Basket', languages: undefined });
    expect(body).toEqual({ name: 'Basket', environments: example('updateProject').environments });
  });

  it('loses nothing of a state', () => {
    const state = shop();
    const body = example('updateProject', {}, { state, guard: true });
    const known = { record: state, isWhole: true };
    expect(gate().inspect(patch(PROJECT_URL, body), undefined, { known }).verdict.findings).toEqual([]);
    expect(body.environments).toContainEqual({ id: 31, name: 'QA', isEnabled: false });
    const flag = { variables: [{ id: 2, dataType: 'boolean' }] };
    expect(example('updateFeature', {}, { state: flag })).toMatchObject({
      variables: [{ variableName: 'label' }, { id: 2, dataType: 'integer' }],
      variations: [{ variables: [{ variableId: 2, value: expect.any(Number) }] }, {}],
    });
  });

  it('is made of any contract', () => {
    const contract = contractFolder();
    expect(example('putFlag', {}, { contract })).toEqual({
      on: true,
      note: 'beta',
      owners: [{ email: 'Email 1' }, { email: 'Email 2' }],
    });
    expect(example('putFlag', {}, { contract: contractFolder(ORDERS) })).toMatchObject({
      code: 'AB-123',
      amount: 1,
      packs: 12,
      payment: { kind: 'card', card: 'Card' },
      version: 2,
      buyer: { friends: [{ friends: [{ name: 'Name 1' }] }, {}] },
    });
    // What can hold itself does so once.
    expect(
      JSON.stringify(example('putFlag', {}, { contract: contractFolder(ORDERS) })).match(/friends/g),
    ).toHaveLength(3);
  });

  it('stays small where schemas hold themselves and one another in many ways', { tags: 'slow' }, () => {
    const held = (names: readonly string[], of: string) =>
      Object.fromEntries(names.map((name) => [name, { anyOf: [{ $ref: of }, { type: 'null' }] }]));
    const sides = ['left', 'right', 'above', 'below', 'before', 'after', 'inner', 'outer'];
    const tree = {
      $id: 'put-flag.json',
      type: 'object',
      properties: { on: { type: 'boolean' }, ...held(sides, '#') },
    };
    const body = example('putFlag', {}, { contract: contractFolder({ 'put-flag.json': tree }) });
    expect(body).toMatchObject({
      left: { right: { on: true, above: null } },
      outer: { inner: { on: true, left: null } },
    });
    expect(JSON.stringify(body).length).toBeLessThan(20_000);
    const kinds = ['order', 'customer', 'product', 'supplier', 'address', 'payment', 'shipment', 'account'];
    const each = (of: (kind: string) => unknown) => Object.fromEntries(kinds.map((kind) => [kind, of(kind)]));
    const all = () => ({ type: 'object', properties: each((kind) => ({ $ref: `#/$defs/${kind}` })) });
    const shop = {
      ...FLAG_SCHEMA,
      properties: { on: { type: 'boolean' }, ...all().properties },
      $defs: each(all),
    };
    const contract = contractFolder({ 'put-flag.json': shop });
    const cross = example('putFlag', {}, { contract });
    expect(cross).toMatchObject({ order: { customer: {} }, account: { shipment: {} } });
    expect(JSON.stringify(cross).length).toBeLessThan(20_000);
  });

  it.each([
    [
      'numbers that are not twice in a list',
      { type: 'array', uniqueItems: true, items: { type: 'integer', minimum: 7 } },
      [7, 8],
    ],
    ['one item where there is one value', { type: 'array', uniqueItems: true, items: { const: 'a' } }, ['a']],
    [
      'members that no schema lists',
      { type: 'object', minProperties: 2, additionalProperties: { type: 'integer' } },
      { further1: 1, further2: 1 },
    ],
    [
      'one of two that may not stand together',
      { type: 'object', properties: { a: {}, b: {} }, not: { required: ['a', 'b'] } },
      { a: 'A' },
    ],
    [
      'no member of a form that is closed',
      {
        allOf: [
          { type: 'object', properties: { a: {} }, additionalProperties: false },
          { type: 'object', properties: { b: {} } },
        ],
      },
      { a: 'A' },
    ],
    [
      'a value that two lists allow, however each writes it',
      { allOf: [{ enum: [1, { a: 1, b: 2 }] }, { enum: [{ b: 2, a: 1 }] }] },
      { a: 1, b: 2 },
    ],
  ])('has %s', (_, note, value) => {
    const schema = {
      ...FLAG_SCHEMA,
      properties: { ...FLAG_SCHEMA.properties, note },
      $defs: { 'a number': { type: 'integer' } },
    };
    const contract = contractFolder({ 'put-flag.json': schema });
    expect(example('putFlag', {}, { contract }).note).toEqual(value);
  });

  it('satisfies rules of ones own as their examples do', () => {
    const customRules = { updateProject: [shouting()] };
    expect(example('updateProject', {}, { customRules })).toMatchObject({
      environments: [{ id: 1, name: 'PRODUCTION', isEnabled: true }],
    });
  });

  it("takes changes of a team's own types", () => {
    interface Environment {
      id: number;
      name: string;
    }
    const environments: Environment[] = [{ id: 7, name: 'Production' }];
    const body = example<{ environments: Environment[] }>('updateProject', { environments });
    expect(body.environments).toBe(environments);
  });

  it('says why there is none', () => {
    expect(refusal('bad-usage', () => example('updateThing'))).toMatch(
      /has no operation "updateThing"\n {2}operations: updateProject, /,
    );
    const properties = {
      on: { type: 'boolean' },
      spare: { type: 'string', pattern: '^SPARE' },
      lines: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['sku'],
          properties: { sku: { type: 'string', pattern: '^SKU-[0-9]$' } },
        },
      },
    };
    const schema = { $id: 'put-flag.json', type: 'object', required: ['on', 'lines'], properties };
    expect(
      refusal('bad-contract', () =>
        example('putFlag', {}, { contract: contractFolder({ 'put-flag.json': schema }) }),
      ),
    ).toMatch('could be made: its schema takes no value of /lines/0/sku that could be thought of');
    const files = { 'contract.json': flagContract({ rules: ['flag.none'] }) };
    expect(
      refusal('bad-contract', () => example('putFlag', {}, { contract: contractFolder(files) })),
    ).toMatch('there is no rule "flag.none"');
    const never = shouting({
      *check() {
        yield { pointer: '', message: 'never' };
      },
      examples: { passes: [], fails: [{ body: {}, pointers: [''] }] },
    });
    const options = { customRules: { updateProject: [never] } };
    expect(refusal('bad-contract', () => example('updateProject', {}, options))).toMatch(
      'no example of updateProject could be made: never',
    );
  });
});
