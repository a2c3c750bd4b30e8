import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load-contract.ts';
import type { Circumstances } from '../../src/gate/gate.ts';
import { createGate } from '../../src/gate/gate.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { arbitrary } from '../../src/testing/fast-check.ts';
import { shop } from '../support/bodies.ts';
import { contractFolder, FLAG_SCHEMA } from '../support/contract-folder.ts';
import { refusal } from '../support/errors.ts';
import { brief, DRAFT_URL, FEATURE_URL, gate, PROJECT_URL, PROXY_DEFAULTS, patch } from '../support/gate.ts';
import { ORDERS } from '../support/orders-contract.ts';
import { shouting } from '../support/team-rule.ts';

const OPERATIONS = { updateProject: PROJECT_URL, updateFeature: FEATURE_URL, updateDraft: DRAFT_URL };
const RUNS = { seed: 7, numRuns: 40 };
const SEVERE = { 'schema.observed': 'error', 'schema.unknown-field': 'error' } as const;

const proxy = gate();

function findings(url: string, body: unknown, circumstances?: Circumstances): string[] {
  return brief(proxy.inspect(patch(url, body), undefined, circumstances).verdict.findings);
}

function smallest<T>(bodies: Arbitrary<T>, isGood: (body: T) => boolean = () => false): T | undefined {
  return fc.check(fc.property(bodies, isGood), { seed: 7, numRuns: 400 }).counterexample?.[0];
}

describe('an arbitrary', () => {
  it.each(Object.entries(OPERATIONS))(
    'of %s gives bodies that the gate has nothing to say of',
    (operation, url) => {
      const bodies = arbitrary(operation, { id: url.split('/').at(-1), guard: true });
      fc.assert(
        fc.property(bodies, (body) => {
          expect(findings(url, body)).toEqual([]);
          expect(JSON.parse(JSON.stringify(body))).toEqual(body);
        }),
        RUNS,
      );
    },
  );

  it.each(Object.entries(OPERATIONS))('of %s can give what only warns', (operation, url) => {
    const bodies = arbitrary(operation, { id: url.split('/').at(-1), guard: true, warnings: true });
    const rules = new Set<string>();
    fc.assert(
      fc.property(bodies, (body) => {
        for (const finding of findings(url, body)) {
          expect(finding).toMatch(/ warn /);
          rules.add(finding.split(' ')[0] as string);
        }
      }),
      RUNS,
    );
    expect([...rules]).toContain('schema.unknown-field');
    expect(rules.size).toBeGreaterThan(1);
  });

  it('gives many kinds of them', () => {
    const many = { ...RUNS, numRuns: 200 };
    const texts = fc.sample(arbitrary('updateFeature'), many).map((body) => JSON.stringify(body));
    for (const kind of [
      /[^\0-\x7f]/,
      /"name":""/,
      /^(?!.*"variations")/,
      /"variations":\[\]/,
      /"id":-?\d{14,}/,
      /"dataType":"json","defaultValue":\{/,
      /"dataType":"float","defaultValue":-?\d+\.\d/,
      /"variableId":-?\d+,"value":true/,
    ])
      expect([kind, texts.some((text) => kind.test(text))]).toEqual([kind, true]);
    const drafts = fc.sample(arbitrary<{ integrations?: object }>('updateDraft'), RUNS);
    const tools = new Set(drafts.flatMap(({ integrations = {} }) => Object.keys(integrations)));
    expect(tools.size).toBeGreaterThan(5);
  });

  it('shrinks to the smallest body', () => {
    expect(smallest(arbitrary('updateProject'))).toEqual({
      name: '',
      languages: ['NODEJS'],
      environments: [{ id: 0, name: '', isEnabled: true }],
    });
    expect(smallest(arbitrary('updateDraft'))).toEqual({});
    const named = arbitrary<{ variations?: { name?: string }[] }>('updateDraft');
    const isShort = ({ variations = [] }: { variations?: { name?: string }[] }) =>
      variations.every(({ name = '' }) => name.length < 3);
    const { variations = [], ...others } = smallest(named, isShort) ?? {};
    expect(others).toEqual({});
    expect(variations.map((variation) => Object.keys(variation))).toEqual([['name']]);
  });

  it('loses nothing of a state', () => {
    const state = shop();
    const known = { record: state, isWhole: true };
    const flag = { variables: [{ id: 2, variableName: 'on', dataType: 'boolean' }] };
    fc.assert(
      fc.property(arbitrary('updateProject', { state }), (body) => {
        expect(findings(PROJECT_URL, body, { known })).toEqual([]);
      }),
      RUNS,
    );
    fc.assert(
      fc.property(arbitrary('updateFeature', { state: flag }), (body) => {
        expect(findings(FEATURE_URL, body, { known: { record: flag, isWhole: true } })).toEqual([]);
      }),
      RUNS,
    );
  });

  it.each([{}, ORDERS])('is made of any contract', (files) => {
    const contract = contractFolder(files);
    const { inspectBody } = createGate(loadContract(contract), PROXY_DEFAULTS);
    const members = new Set<string>();
    fc.assert(
      fc.property(arbitrary('putFlag', { contract }), (body) => {
        expect(brief(inspectBody('putFlag', Buffer.from(JSON.stringify(body))).verdict.findings)).toEqual([]);
        for (const name of Object.keys({ ...body, ...(body.payment as JsonObject) })) members.add(name);
      }),
      RUNS,
    );
    expect(members).toContain(files === ORDERS ? 'due' : 'note');
    expect(members).toContain(files === ORDERS ? 'card' : 'owners');
  });

  it('satisfies rules and severities of ones own', () => {
    const customRules = { updateProject: [shouting()] };
    const strict = gate({ customRules, severities: SEVERE });
    const bodies = arbitrary('updateProject', { customRules, rules: SEVERE, warnings: true });
    fc.assert(
      fc.property(bodies, (body) => strict.inspect(patch(PROJECT_URL, body)).verdict.status !== 422),
      RUNS,
    );
  });

  it('goes on past what a rule refuses now and then', { tags: 'slow' }, () => {
    const picky = shouting({
      *check({ body }) {
        if (JSON.stringify(body).length % 10 > 0) yield { pointer: '', message: 'of another length' };
      },
      examples: { passes: [], fails: [{ body: {}, pointers: [''] }] },
    });
    const bodies = arbitrary('updateProject', { customRules: { updateProject: [picky] } });
    expect(fc.sample(bodies, { seed: 7, numRuns: 150 })).toHaveLength(150);
  });

  it('says what keeps all bodies from being good', { tags: 'slow' }, () => {
    const never = shouting({
      *check() {
        yield { pointer: '', message: 'nothing is good enough' };
      },
      examples: { passes: [], fails: [{ body: {}, pointers: [''] }] },
    });
    const bodies = arbitrary('updateProject', { customRules: { updateProject: [never] } });
    expect(refusal('bad-contract', () => fc.sample(bodies, 1))).toMatch(
      'no body of updateProject could be made: nothing is good enough (team.shouting)\n  a rule of your own needs',
    );
    const schema = { ...FLAG_SCHEMA, not: { required: ['on'] } };
    const none = arbitrary('putFlag', { contract: contractFolder({ 'put-flag.json': schema }) });
    expect(refusal('bad-contract', () => fc.sample(none, 1))).toMatch(
      'the body must NOT be valid (schema.not)\n  make bodies of this operation with arbitraries of your own',
    );
    expect(refusal('bad-usage', () => arbitrary('updateThing'))).toMatch(
      /has no operation "updateThing"\n {2}operations: updateProject, /,
    );
  });
});

/** Values that are drawn of a schema, as the member `note` of a body. */
function drawn(note: object | boolean, numRuns = 40): unknown[] {
  const schema = { ...FLAG_SCHEMA, required: ['on', 'note'], properties: { on: { type: 'boolean' }, note } };
  const contract = contractFolder({ 'put-flag.json': schema });
  return fc.sample(arbitrary('putFlag', { contract }), { seed: 3, numRuns }).map(({ note: value }) => value);
}

describe('an arbitrary of a schema', () => {
  it.each([
    { type: 'string', allOf: [{ type: 'integer' }] },
    { type: 'object', required: ['a'], properties: { a: false } },
    { type: 'integer', minimum: 2, exclusiveMaximum: 2 },
  ])('that takes nothing says so: %j', (note) => {
    expect(refusal('bad-contract', () => drawn(note))).toMatch('its schema takes no value');
  });

  it('does not draw for ever where hardly anything fits', () => {
    const hundredths = { type: 'number', multipleOf: 0.01, exclusiveMinimum: 0, exclusiveMaximum: 0.03 };
    expect(new Set(drawn(hundredths))).toEqual(new Set([0.01, 0.02]));
    expect(
      refusal('bad-usage', () => drawn({ type: 'object', minProperties: 9, additionalProperties: {} })),
    ).toMatch(
      'no value with 9 or more members could be made\n  make bodies of this operation with arbitraries of your own',
    );
    expect(refusal('bad-usage', () => drawn({ type: 'string', pattern: '^(?!a)' }))).toMatch(
      'no text can be made of the pattern',
    );
  });

  it('stays small where it holds itself in many ways', () => {
    const sides = ['left', 'right', 'above', 'below', 'before', 'after', 'inner', 'outer'];
    const held = Object.fromEntries(sides.map((side) => [side, { $ref: '#/properties/note' }]));
    const texts = drawn({ type: 'object', properties: held }).map((value) => JSON.stringify(value));
    expect(texts.some((text) => text.includes('"left":{"'))).toBe(true);
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(20_000);
  });

  it('gives values that JSON holds exactly', () => {
    for (const value of [...drawn(true), ...drawn({ type: 'number', minimum: -1, maximum: 0 })]) {
      const text = JSON.stringify(value);
      expect(JSON.parse(text)).toEqual(value);
      expect(text).not.toMatch(/"(?:__proto__|prototype|constructor)":/);
    }
  });

  it('gives further members no name that looks like a listed one', () => {
    const listed = { heatRecorder: true, GRÖSSE: true };
    const names = new Set(
      drawn({ type: 'object', properties: listed }, 200).flatMap((note) => Object.keys(note as object)),
    );
    expect([...names]).toEqual(expect.arrayContaining(['heatrecorderFurther', 'größeFurther', 'x-1']));
    expect(names).not.toContain('heatrecorder');
  });
});
