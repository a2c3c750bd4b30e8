/** Cuts of published documents; each names its source and licence in `info.description`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fromOpenApi, type ImportOptions } from '../../src/contract/openapi/from-openapi.ts';
import { createGate, type Gate } from '../../src/gate/gate.ts';
import { laterRefusal } from '../support/errors.ts';
import { PROXY_DEFAULTS } from '../support/gate.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const read = (name: string) => {
  const file = fileURLToPath(new URL(`./openapi/${name}`, import.meta.url));
  return fromOpenApi(file, readFileSync(file, 'utf8'));
};

function send(gate: Gate, request: string, body: unknown, type = 'application/json') {
  const [method = '', url = ''] = request.split(' ');
  const headers = ['content-type', type];
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const { verdict } = gate.inspect({ method, url, headers, body: bytes });
  const match = gate.match({ method, url, headers });
  const errors = verdict.findings.filter(({ severity }) => severity === 'error');
  return {
    operation: match?.operation,
    outcome: verdict.outcome,
    errors: errors.map(({ rule, pointer }) => `${rule} ${pointer}`),
    warnings: verdict.findings.filter(({ severity }) => severity === 'warn').map(({ message }) => message),
  };
}

const WEBHOOK = {
  event_type: 'PING',
  context: 'team',
  context_id: '1',
  endpoint: 'https://a.example/',
  passcode: 'x',
};
const PLANET = { name: 'Mars', type: 'terrestrial' };
const PET = { name: 'doggie', photoUrls: ['https://a.example/dog.png'] };

/** Without a good body, the document's own example is one. */
const REQUESTS: [file: string, request: string, operation: string, bad: unknown, good?: unknown][] = [
  ['github.json', 'PATCH /orgs/o/hooks/1', 'orgs/update-webhook', { active: 'yes' }],
  ['github.json', 'PATCH /orgs/o/hooks/1/config', 'orgs/update-webhook-config-for-org', { url: 1 }],
  [
    'github.json',
    'PATCH /user/memberships/orgs/o',
    'orgs/update-membership-for-authenticated-user',
    { state: 'pending' },
  ],
  ['github.json', 'PATCH /repos/o/r/labels/good%20first%20issue', 'issues/update-label', { color: 7 }],
  ['github.json', 'PATCH /repos/o/r/milestones/1', 'issues/update-milestone', { state: 'gone' }],
  ['github.json', 'PATCH /gists/1', 'gists/update', { files: 'README.md' }],
  ['github.json', 'PUT /orgs/o/memberships/u', 'orgs/set-membership-for-user', { role: 'owner' }],
  [
    'github.json',
    'POST /orgs/o/personal-access-token-requests/1',
    'orgs/review-pat-grant-request',
    { action: 'maybe' },
  ],
  ['figma.yaml', 'POST /v2/webhooks', 'postWebhook', { ...WEBHOOK, status: 'GONE' }, WEBHOOK],
  ['figma.yaml', 'PUT /v2/webhooks/1', 'putWebhook', WEBHOOK, { ...WEBHOOK, team_id: '1' }],
  ['figma.yaml', 'POST /v1/files/f/comments', 'postComment', { message: 1 }, { message: 'Nice' }],
  ['galaxy.yaml', 'POST /user/signup', 'createUser', { name: 'Marc', email: 1, password: 'x' }],
  ['galaxy.yaml', 'PUT /planets/1', 'updatePlanet', { ...PLANET, name: 1 }, PLANET],
  ['petstore.yaml', 'POST /v2/pet', 'addPet', { name: 'doggie' }, PET],
  [
    'petstore.yaml',
    'PUT /v2/user/a',
    'updateUser',
    { userStatus: 'active' },
    { username: 'a', userStatus: 1 },
  ],
  [
    'discriminators.json',
    'PATCH /anything/discriminator-with-mapping',
    'oneOfWithTopLevelDiscriminatorAndMapping',
    { discrim: 'Option Three' },
    { discrim: 'Option One' },
  ],
];

describe('a published document', () => {
  it.each(REQUESTS)('%s: %s is %s, and is judged', async (file, request, operation, bad, good) => {
    const { contract } = await read(file);
    const gate = createGate(contract, PROXY_DEFAULTS);
    const body = good ?? contract.entries[operation]?.example?.body;
    expect(body).toBeDefined();
    expect(send(gate, request, body)).toMatchObject({ operation, outcome: 'pass', errors: [] });
    expect(send(gate, request, bad)).toMatchObject({ operation, outcome: 'block' });
  });

  it('judges nothing beside its own paths', async () => {
    const gate = createGate((await read('github.json')).contract, PROXY_DEFAULTS);
    for (const request of ['PATCH /elsewhere/orgs/o/hooks/1', 'PATCH /orgs/o', 'PUT /orgs/o/hooks/1'])
      expect(send(gate, request, { active: 'yes' })).toMatchObject({ operation: undefined, outcome: 'pass' });
    expect(send(gate, 'PATCH /orgs/o/hooks/one', {}).errors).toEqual(['request.path-parameter ']);
    expect(send(gate, 'PATCH /orgs/o/%2e%2e/hooks/1', {}).errors).toContain('request.ambiguous-path ');
  });
});

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const responses = { 200: { description: 'OK' } };

/** An operation `PATCH /a` with this schema. */
const documentOf = (schema: object, more: object = {}, openapi = '3.0.3') => ({
  ...{ openapi, info: { title: 'Own', version: '1' } },
  paths: {
    '/a': { patch: { operationId: 'a', requestBody: { ...json(schema), required: true }, responses } },
  },
  ...more,
});

const importOf = (document: unknown, options: ImportOptions = {}) =>
  fromOpenApi(join(temporaryFolder(), 'api.json'), JSON.stringify(document), options);

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const NULLABLE = { type: 'string', nullable: true, enum: ['x'] };
const component = (schemas: object) => ({ components: { schemas } });
const NODE = object({ next: { $ref: '#/components/schemas/Node' }, name: { type: 'string' } });

describe('a schema', () => {
  it.each<[what: string, document: object, good: unknown, bad: unknown]>([
    ['nullable of 3.0', documentOf(object({ a: NULLABLE })), { a: null }, { a: 'y' }],
    [
      'an exclusive bound of 3.0',
      documentOf(object({ a: { type: 'number', minimum: 1, exclusiveMinimum: true } })),
      { a: 2 },
      { a: 1 },
    ],
    [
      'types of 3.1',
      documentOf(object({ a: { type: ['string', 'null'] } }), {}, '3.1.0'),
      { a: null },
      { a: 1 },
    ],
    [
      'a circle through members',
      documentOf({ $ref: '#/components/schemas/Node' }, component({ Node: NODE })),
      { next: { next: {} } },
      { next: { next: { name: 1 } } },
    ],
    [
      'read-only and required',
      documentOf(
        object({ id: { type: 'integer', readOnly: true }, a: { type: 'string' } }, { required: ['id', 'a'] }),
      ),
      { a: 'x' },
      {},
    ],
  ])('with %s', async (_, document, good, bad) => {
    const gate = createGate((await importOf(document)).contract, PROXY_DEFAULTS);
    expect(send(gate, 'PATCH /a', good).errors).toEqual([]);
    expect(send(gate, 'PATCH /a', bad).outcome).toBe('block');
  });

  it('gives one warning for all read-only members that a client echoes', async () => {
    const set = { type: 'string', readOnly: true };
    const { contract } = await importOf(
      documentOf(object({ id: set, createdOn: set, name: { type: 'string' } })),
    );
    const gate = createGate(contract, PROXY_DEFAULTS);
    const { outcome, warnings } = send(gate, 'PATCH /a', { id: '1', createdOn: 'now', name: 'x' });
    expect(outcome).toBe('pass');
    expect(warnings).toEqual(['the body has id, createdOn, which the service sets itself']);
  });
});

describe('an operation', () => {
  const operation = (content: object, more: object = {}) => ({
    requestBody: { content },
    responses,
    ...more,
  });
  const parameter = (name: string, schema: object) => ({ name, in: 'path', required: true, schema });

  it('has a schema for each media type, and may have no body', async () => {
    const paths = {
      '/a': {
        patch: operation({
          'application/json': { schema: object({ a: { type: 'string' } }) },
          'application/json-patch+json': { schema: { type: 'array' } },
          'text/json': { schema: { type: 'object' } },
        }),
      },
    };
    const gate = createGate((await importOf({ ...documentOf({}), paths })).contract, PROXY_DEFAULTS);
    expect(send(gate, 'PATCH /a', { a: 'x' }).outcome).toBe('pass');
    expect(send(gate, 'PATCH /a', [], 'application/json-patch+json').outcome).toBe('pass');
    expect(send(gate, 'PATCH /a', {}, 'application/json-patch+json').errors).toEqual(['schema.type ']);
    expect(send(gate, 'PATCH /a', {}, 'application/merge-patch+json').errors).toEqual([
      'request.content-type ',
    ]);
    expect(send(gate, 'PATCH /a', {}, 'text/json').errors).toEqual([]);
    expect(send(gate, 'PATCH /a', undefined).outcome).toBe('pass');
  });

  it('has parameters within a segment, and of a form', async () => {
    const own = (name: string, schema: object) => ({
      post: operation(json({ type: 'object' }).content, { parameters: [parameter(name, schema)] }),
    });
    const document = {
      ...documentOf({}),
      paths: {
        '/users/{user-id}:archive': own('user-id', { type: 'integer' }),
        '/users/@{name}': own('name', { type: 'string', pattern: '^[a-z]+$' }),
        '/users/me': own('none', { type: 'string' }),
        '/users/{id}': own('id', { type: 'string', format: 'uuid' }),
        '/kinds/{kind}': own('kind', { type: 'string', enum: ['a', 'b'] }),
      },
    };
    const uuid = '7f6a1c8e-6f0c-4f60-9d5a-1d1f9f3c7a10';
    const gate = createGate((await importOf(document)).contract, PROXY_DEFAULTS);
    const sent = (path: string) => {
      const { operation, errors } = send(gate, `POST ${path}`, {});
      return `${operation} ${errors.length}`;
    };
    expect(sent('/users/7:archive')).toBe('POST /users/{user-id}:archive 0');
    expect(sent('/users/x:archive')).toBe('POST /users/{user-id}:archive 1');
    expect(sent('/users/@ann')).toBe('POST /users/@{name} 0');
    expect(sent('/users/@7')).toBe('POST /users/@{name} 1');
    expect(sent('/users/me')).toBe('POST /users/me 0');
    expect(sent(`/users/${uuid}`)).toBe('POST /users/{id} 0');
    expect(sent('/users/seven')).toBe('POST /users/{id} 1');
    expect(sent('/kinds/c')).toBe('POST /kinds/{kind} 1');
    const loose = await importOf(document, { looseParameters: true });
    expect(loose.loosened).toEqual(expect.arrayContaining(['POST /kinds/{kind} kind']));
    expect(send(createGate(loose.contract, PROXY_DEFAULTS), 'POST /kinds/c', {}).outcome).toBe('pass');
  });

  const good = operation(json({ type: 'object' }).content);
  const deep = Array.from({ length: 300 }).reduce<object>((inner) => ({ properties: { a: inner } }), {});
  const A = { $ref: '#/components/schemas/A' };
  it.each<[why: string, paths: object, more?: object]>([
    ['another operation has the same method and path', { '/ok/{b}': { put: good } }],
    ['its body is not JSON', { '/b': { put: operation({ 'text/csv': {} }) } }],
    ['no path can be told to match its template', { '/b/{x}{y}': { put: good } }],
    ['its schema takes every body', { '/b': { put: operation(json({}).content) } }],
    ['its schema is nested more than 200 levels deep', { '/b': { put: operation(json(deep).content) } }],
    [
      'its schema refers to itself without end',
      { '/b': { put: operation(json(A).content) } },
      component({ A: { allOf: [A] } }),
    ],
    [
      '#/components/schemas/None leads nowhere',
      { '/b': { put: operation(json({ $ref: '#/components/schemas/None' }).content) } },
    ],
    [
      'is on the network, and nothing is fetched',
      { '/b': { put: operation(json({ $ref: 'https://a.example/b.json' }).content) } },
    ],
    ['is not below the document', { '/b': { put: operation(json({ $ref: '../b.json' }).content) } }],
    ['cannot read', { '/b': { put: operation(json({ $ref: 'none.yaml#/a' }).content) } }],
  ])('is left out: %s', async (why, paths, more = {}) => {
    const document = { ...documentOf({}), ...more, paths: { '/ok/{a}': { put: good }, ...paths } };
    const { leftOut, content } = await importOf(document);
    expect(leftOut.map((left) => left.why)).toEqual([expect.stringContaining(why)]);
    expect(Object.keys(content.operations)).toEqual(['PUT /ok/{a}']);
  });

  it('takes its schemas from files beside the document', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'models'));
    writeFileSync(
      join(folder, 'models', 'user.yaml'),
      'type: object\nproperties:\n  name:\n    $ref: name.yaml#/short\n',
    );
    writeFileSync(join(folder, 'models', 'name.yaml'), 'short:\n  type: string\n  maxLength: 3\n');
    const { contract } = await fromOpenApi(
      join(folder, 'api.json'),
      JSON.stringify(documentOf({ $ref: 'models/user.yaml' })),
    );
    const gate = createGate(contract, PROXY_DEFAULTS);
    expect(send(gate, 'PATCH /a', { name: 'long' }).errors).toEqual(['schema.max-length /name']);
  });
});

describe('what is no document', () => {
  it('is one that is nested too deeply', async () => {
    const deep = Array.from({ length: 20_000 }).reduce<string>(
      (inner) => `{"properties":{"a":${inner}}}`,
      '{}',
    );
    const text = JSON.stringify(documentOf({ not: 'DEEP' })).replace('"DEEP"', deep);
    expect(await laterRefusal('bad-contract', fromOpenApi('a.json', text))).toMatch(
      /cannot be checked|nested/,
    );
  });

  it.each<[name: string, text: string, says: RegExp]>([
    ['a.json', '{"swagger": "2.0", "paths": {}}', /a\.json:1:13: OpenAPI 2\.0 is not read \(convert it/],
    ['a.json', '{"openapi": "3.0.0",\n "paths": [}', /a\.json:2:12: /],
    ['a.yaml', 'openapi: 3.0.0\npaths: [', /a\.yaml:2:\d+: /],
    ['a.yaml', 'just a text', /this is no OpenAPI document/],
    ['a.yaml', 'openapi: 4.0.0', /"openapi" is "4\.0\.0" \(documents of 3\.0 and 3\.1 are read\)/],
    [
      'a.yaml',
      'openapi: 3.0.0\ninfo:\n  title: x\n  version: "1"\npaths:\n  /a:\n    patch: {}\n',
      /a\.yaml:7:12: \/paths\/~1a\/patch must have required property 'responses'/,
    ],
    ['a.yaml', 'openapi: 3.0.0\ninfo: {title: x, version: "1"}\npaths: {}\n', /no operation could be taken/],
    [
      'a.yaml',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]`,
      /alias/i,
    ],
  ])('%s: %j', async (name, text, says) => {
    expect(await laterRefusal('bad-contract', fromOpenApi(name, text))).toMatch(says);
  });
});
