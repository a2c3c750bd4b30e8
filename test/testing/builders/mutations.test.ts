import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadContract } from '../../../src/contract/load-contract.ts';
import { createGate, type Gate } from '../../../src/gate/gate.ts';
import { isObject, type JsonValue, listAt, member } from '../../../src/json/json.ts';
import { pointerOf } from '../../../src/json/pointer.ts';
import { RULES } from '../../../src/rules/index.ts';
import { example } from '../../../src/testing/builders/example.ts';
import { type InvalidBody, invalidBodies } from '../../../src/testing/builders/mutations.ts';
import { fake } from '../../../src/testing/start.ts';
import type { FakeGate } from '../../../src/testing/test-gate.ts';
import { contractFolder } from '../../support/contract-folder.ts';
import { gate, PROXY_DEFAULTS, shippedContract } from '../../support/gate.ts';
import { ORDERS } from '../../support/orders-contract.ts';
import { shouting } from '../../support/team-rule.ts';

const OPERATIONS = ['updateProject', 'updateFeature', 'updateDraft'];

/** Whether a gate of our own says of each what it says of itself. */
function expectTold(bodies: readonly InvalidBody[], { inspect }: Gate): void {
  const said = bodies.map(({ name, method, path, headers, text, state }) => {
    const request = { method, url: `/api/v2${path}`, headers: Object.entries(headers).flat() };
    const known = state && { record: state, isWhole: true };
    const { verdict } = inspect({ ...request, body: Buffer.from(text) }, undefined, { known });
    const findings = verdict.findings.map(({ rule, severity, pointer }) => ({ rule, severity, pointer }));
    return { name, status: verdict.status, findings };
  });
  expect(bodies.map(({ name, status, findings }) => ({ name, status, findings }))).toEqual(said);
  expect(bodies.filter(({ findings, finding }) => !findings.includes(finding))).toEqual([]);
  const written = bodies.filter(({ body }) => body !== undefined);
  expect(written.map(({ body }) => JSON.stringify(body))).toEqual(written.map(({ text }) => text));
}

function named(name: string, bodies = OF_PROJECT): InvalidBody | undefined {
  return bodies.find((one) => one.name === name);
}

const ALL = new Map(OPERATIONS.map((operation) => [operation, invalidBodies(operation)]));
const OF_PROJECT = ALL.get('updateProject') ?? [];
const OF_GUARDED = invalidBodies('updateProject', { guard: true, id: 7 });

describe.each(OPERATIONS)('the invalid bodies of %s', (operation) => {
  const bodies = ALL.get(operation) ?? [];

  it('give the findings that they say', () => {
    expectTold(bodies, gate({ guard: 'off' }));
  });

  it('have names of their own', () => {
    const names = bodies.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('break each place that the schema says something of, in each way', () => {
    const { shape } = shippedContract().load(operation);
    const wanted: string[] = [];
    const visit = (value: JsonValue, path: readonly (string | number)[], at: typeof shape) => {
      if (at.isOpen) return;
      // An integer can also be given a fraction.
      for (let left = Number.isInteger(value) ? 6 : 5; left > 0; left--)
        wanted.push(`schema.type ${pointerOf(path)}`);
      if (Array.isArray(value) && value[0] !== undefined)
        visit(value[0], [...path, 0], at.below(0, typeof value[0] === 'object'));
      if (!isObject(value)) return;
      wanted.push(`schema.unknown-field ${pointerOf([...path, 'unlisted'])}`);
      for (const [name, inner] of Object.entries(value)) {
        wanted.push(`spelt ${pointerOf([...path, name])}`);
        visit(inner, [...path, name], at.below(name, typeof inner === 'object'));
      }
    };
    visit(example(operation), [], shape);
    const given = bodies.map(({ finding: { rule, pointer } }) => `${rule} ${pointer}`);
    const spelt = bodies.flatMap(({ name }) => /^(.*) is spelt /.exec(name)?.[1] ?? []);
    const left = [...given, ...new Set(spelt.map((pointer) => `spelt ${pointer}`))];
    const missing = wanted.filter((one) => {
      const index = left.indexOf(one);
      return index < 0 || left.splice(index, 1).length === 0;
    });
    expect(missing).toEqual([]);
  });

  it('break each rule as its examples do', () => {
    const { rules } = shippedContract().load(operation).entry;
    for (const rule of RULES.filter(({ name, severity }) => rules.includes(name) && severity !== 'off')) {
      const broken = bodies.filter(({ finding }) => finding.rule === rule.name);
      expect({ rule: rule.name, broken: broken.length }).toEqual({
        rule: rule.name,
        broken: rule.examples.fails.length,
      });
      for (const { findings } of broken)
        expect(new Set(findings.map((finding) => finding.rule)).size).toBe(1);
    }
  });

  it('have one finding, but where one mutation is two', () => {
    const several = bodies.filter(({ findings }) => findings.length > 1);
    expect(several.length).toBeLessThan(bodies.length / 5);
  });
});

describe('the invalid bodies of an operation', () => {
  it('are those of the guard where it is on', () => {
    expectTold(OF_GUARDED, gate());
    expect(OF_GUARDED.filter(({ status }) => status === 409).length).toBe(4);
  });

  it('are the same each time, without warnings where these are not wanted', () => {
    const errors = OF_PROJECT.filter(({ finding }) => finding.severity === 'error');
    expect(invalidBodies('updateProject', { severity: 'error' })).toEqual(errors);
    expect(errors.length).toBeLessThan(OF_PROJECT.length);
    for (const { status } of errors) expect(status).toBeGreaterThanOrEqual(400);
  });
});

describe('an invalid body', () => {
  it('is a copy of its own', () => {
    const [first, second] = invalidBodies('updateProject')
      .map(({ body }) => body)
      .filter(
        (body) => Array.isArray(member(body, 'environments')) && member(body, 'languages') === undefined,
      );
    listAt(first, 'environments').push(null);
    expect(listAt(second, 'environments')).toEqual(example('updateProject').environments);
  });

  it('says what is wrong, and what comes of it', () => {
    expect(named('/languages is missing')).toEqual({
      name: '/languages is missing',
      operation: 'updateProject',
      method: 'PATCH',
      path: '/accounts/current/projects/42',
      id: '42',
      headers: { 'content-type': 'application/json' },
      body: example('updateProject', { languages: undefined }),
      text: JSON.stringify(example('updateProject', { languages: undefined })),
      finding: { rule: 'schema.required', severity: 'error', pointer: '/languages' },
      findings: [{ rule: 'schema.required', severity: 'error', pointer: '/languages' }],
      status: 422,
    });
  });

  it.each([
    ['updateProject', '/languages/0 is "nodejs"', 'schema.enum', 'error'],
    ['updateDraft', '/primaryUrl is "OTHER"', 'schema.format', 'error'],
    ['updateDraft', '/primaryUrl is empty', 'schema.format', 'warn'],
    ['updateDraft', '/goals/0/urls/0/value is empty', 'schema.format', 'warn'],
    ['updateDraft', '/urls/0/type is "URL"', 'schema.observed', 'warn'],
    ['updateDraft', '/globalSegment/id is "OTHER"', 'schema.observed', 'warn'],
    ['updateDraft', '/integrations/further/enabled is a string', 'schema.type', 'error'],
  ])('of %s can be: %s', (operation, name, rule, severity) => {
    const [pointer = ''] = name.split(' ');
    const finding = { rule, severity, pointer };
    const status = severity === 'error' ? 422 : undefined;
    const one = named(name, ALL.get(operation));
    expect({ ...one, status: one?.status }).toMatchObject({ finding, status });
    if (rule !== 'schema.enum') expect(one?.findings).toEqual([finding]);
  });

  it('has no value for a client that writes JSON and headers itself where these are wrong', () => {
    for (const [name, rule, status] of [
      ['/name is given twice', 'request.duplicate-key', 422],
      ['/environments/0/id is 9007199254740993', 'request.unsafe-number', 422],
      ['/__proto__ is given', 'request.unsafe-key', 422],
      ['/constructor holds prototype', 'request.unsafe-key', 422],
      ['the body is cut off', 'request.json', 400],
      ['the body begins with a byte order mark', 'request.json', 400],
      ['the body is 129 levels deep', 'request.too-large', 413],
    ] as const) {
      const one = named(name);
      expect(one).toMatchObject({ finding: { rule, severity: 'error' }, status });
      expect(one).not.toHaveProperty('body');
    }
    const unread = named('Content-Type is text/plain');
    expect(unread).toMatchObject({ headers: { 'content-type': 'text/plain' }, status: 415 });
    expect(JSON.parse(unread?.text ?? '')).toEqual(example('updateProject'));
    expect(unread).not.toHaveProperty('body');
  });

  it('comes with the state without which nothing would be found', () => {
    const deleted = named('project.environment-deleted at /environments', OF_GUARDED);
    expect(deleted).toMatchObject({ finding: { severity: 'error' }, status: 409 });
    const names = (body: unknown) =>
      (body as { environments: { name: string }[] }).environments.map(({ name }) => name);
    expect([names(deleted?.state), names(deleted?.body)]).toEqual([
      ['Production', 'Staging'],
      ['Production'],
    ]);
    const states = OF_PROJECT.filter(({ state }) => state);
    expect(states.map(({ finding }) => finding.rule)).toEqual([
      'project.environment-deleted',
      'project.environment-replaced',
      'project.language-removed',
    ]);
  });

  it('has the id that was asked for', () => {
    expect(new Set(OF_GUARDED.map(({ path }) => path))).toEqual(new Set(['/accounts/current/projects/7']));
    // The rule's own example is that of another draft.
    expect(ALL.get('updateDraft')?.filter(({ id }) => id !== '42')).toMatchObject([
      { id: '7', path: '/accounts/current/drafts/7', finding: { rule: 'draft.id-matches-path' } },
    ]);
  });
});

describe('invalid bodies of ones own', () => {
  it.each([
    [{}, ['schema.min-length', 'schema.additional-properties', 'schema.observed', 'schema.field-case']],
    [
      ORDERS,
      [
        ...[
          'schema.pattern',
          'schema.minimum',
          'schema.exclusive-maximum',
          'schema.multiple-of',
          'schema.const',
        ],
        ...[
          'schema.min-items',
          'schema.max-items',
          'schema.unique-items',
          'schema.min-length',
          'schema.max-length',
        ],
        ...['schema.additional-properties', 'schema.enum', 'schema.required'],
      ],
    ],
  ])('are of its contract', (files, rules) => {
    const contract = contractFolder(files);
    const bodies = invalidBodies('putFlag', { contract });
    expectTold(bodies, createGate(loadContract(contract), PROXY_DEFAULTS));
    expect(bodies.map(({ finding }) => finding.rule)).toEqual(expect.arrayContaining(rules));
    expect(bodies[0]).toMatchObject({ method: 'PUT' });
    const refused = bodies.filter(({ status }) => status !== undefined);
    expect(refused.filter(({ finding }) => finding.severity === 'warn')).toEqual([]);
  });

  it('are of its rules and severities', () => {
    const customRules = { updateProject: [shouting()] };
    const rules = { 'schema.unknown-field': 'error', 'project.unique-language': 'off' } as const;
    const bodies = invalidBodies('updateProject', { customRules, rules });
    expectTold(bodies, gate({ guard: 'off', customRules, severities: rules }));
    expect(bodies.filter(({ finding }) => finding.rule === 'team.shouting')).toMatchObject([
      { name: 'team.shouting at /environments/1/name', status: 422, findings: [{ rule: 'team.shouting' }] },
    ]);
    expect(bodies.find(({ name }) => name === '/unlisted is no listed field')).toMatchObject({ status: 422 });
    expect(bodies.map(({ finding }) => finding.rule)).not.toContain('project.unique-language');
  });
});

describe('through a gate that was started', () => {
  const bodies = [...OF_GUARDED, ...[...ALL.values()].flat()];
  let served: FakeGate;
  beforeAll(async () => {
    served = await fake({ guard: true });
  });
  afterAll(() => served.close());

  it('are answered as they say', async () => {
    const rules = new Set<string>();
    const firsts = bodies.filter(({ finding: { rule }, state, status }) => {
      if (state || status === undefined || rules.has(rule)) return false;
      rules.add(rule);
      return true;
    });
    expect(firsts.length).toBeGreaterThan(12);
    for (const { method, path, headers, text, status, finding } of firsts) {
      const answer = await fetch(`${served.url}/api/v2${path}`, { method, headers, body: text });
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      expect({ status: answer.status, problem: await answer.json() }).toMatchObject({
        status,
        problem: { status, findings: expect.arrayContaining([expect.objectContaining(finding)]) },
      });
    }
  });

  it('lose what the state has', async () => {
    const one = bodies.find(({ finding }) => finding.rule === 'project.environment-deleted');
    await using knowing = await fake({
      guard: true,
      seed: { accounts: { current: { projects: { 7: one?.state ?? {} } } } },
    });
    const { method = '', path, headers = {}, text = '' } = one ?? {};
    const answer = await fetch(`${knowing.url}/api/v2${path}`, { method, headers, body: text });
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ findings: [one?.finding] });
  });
});
