import { describe, expect, it } from 'vitest';
import { fake } from '../../../src/testing/index.ts';
import '../../../src/testing/vitest.ts';
import { draft, feature, project } from '../../support/bodies.ts';
import { failing } from '../../support/failing.ts';

const DRAFT = '/api/v2/accounts/current/drafts/1001';

describe('toPassGate', () => {
  it('lets pass what the gate lets pass: objects, text and bytes', () => {
    expect(project()).toPassGate('updateProject');
    expect(JSON.stringify(feature())).toPassGate('updateFeature');
    expect(Buffer.from(JSON.stringify(draft()))).toPassGate('updateDraft');
    expect(new Uint8Array(Buffer.from(JSON.stringify(draft()))).buffer).toPassGate('updateDraft');
    expect({ name: 'Checkout' }).not.toPassGate('updateProject');
  });

  it('judges a body that a gate shows', async () => {
    await using gate = await fake();
    const url = `${gate.url}/api/v2/accounts/current/projects/42`;
    const headers = { 'Content-Type': 'application/json' };
    for (const body of [project(), { languages: [] }])
      await fetch(url, { method: 'PATCH', headers, body: JSON.stringify(body) });
    const [good, bad] = gate.exchanges().map(({ request }) => request.body);
    expect(good).toPassGate('updateProject');
    expect(bad).not.toPassGate('updateProject');
    expect(bad).toHaveFinding('updateProject', { pointer: '/name', line: 1 });
    expect(good).toDelete({ environments: [] }, project());
    const cut = { text: '{', size: 70_000, cut: true };
    for (const assertion of [expect(cut), expect(cut).not])
      expect(failing(() => assertion.toPassGate('updateProject'))).toContain('\n\nthe body is cut: ');
  });

  it('says what is wrong as check does, with the lines of the object as JSON', () => {
    const body = { name: 7, languages: ['GO'], environments: [{ id: 1, name: 'A', isEnable: true }] };
    expect(failing(() => expect(body).toPassGate('updateProject'))).toBe(`\
expect(body).toPassGate(operation)

The gate would block this updateProject with 422: 2 errors, 1 warning

  body:2:11  error  schema.type  /name must be a string, not a number
    2 |   "name": 7,
      |           ^
    at /name, stated, service-api 2.1

  body:7:6  error  schema.required  /environments/0/isEnabled is missing
    7 |     {
      |      ^
    at /environments/0/isEnabled, inferred, service-api 4.1 rules 2 and 4
    hint: send each environment whole: the list replaces the stored one, and an environment that cannot be recognised by its id is deleted; a new one takes an id that the project does not have

  body:10:7  warn  schema.unknown-field  /environments/0/isEnable is no field that the contract lists
    10 |       "isEnable": true
       |       ^
    at /environments/0/isEnable, inferred, service-api 2.1
    hint: did you mean "isEnabled"?`);
  });

  it('judges the headers, however they are given', () => {
    for (const headers of [{ 'Content-Type': 'text/plain' }, new Headers({ 'content-type': 'text/plain' })])
      expect(() => expect(project()).toPassGate('updateProject', { headers })).toThrow('text/plain');
    for (const headers of [{ 'Content-Type': undefined }, ['Content-Type: text/plain'], 'x', null])
      expect(() => expect(project()).toPassGate('updateProject', { headers: headers as never })).toThrow(
        "toPassGate: the headers are not texts by name\n  give them like { 'Content-Type': 'application/json' }",
      );
  });

  it('judges text by its very characters', () => {
    const twice = '{"name":"A","name":"B","languages":["GO"],\n "environments":[]}';
    expect(JSON.parse(twice)).toPassGate('updateProject');
    const said = failing(() => expect(twice).toPassGate('updateProject'));
    expect(said).toContain('body:1:13  error  request.duplicate-key');
    expect(said).toContain('\n    1 | {"name":"A","name":"B"');
  });

  it('says what lets it pass where it should not', () => {
    expect(failing(() => expect(project()).not.toPassGate('updateProject'))).toBe(
      'expect(body).not.toPassGate(operation)\n\nThe gate lets this updateProject pass: no findings',
    );
  });

  it('fails on warnings where it is told to', () => {
    const body = { ...project(), colour: 'red' };
    expect(body).toPassGate('updateProject');
    expect(body).not.toPassGate('updateProject', { failOn: 'warn' });
    expect(failing(() => expect(body).toPassGate('updateProject', { failOn: 'warn' }))).toContain(
      'The gate lets this updateProject pass: 1 warning',
    );
  });

  it('asks the rules that look at the path, and at the record before', () => {
    expect(draft()).toPassGate('updateDraft', { path: DRAFT });
    expect(draft()).not.toPassGate('updateDraft', { path: '/accounts/current/drafts/7' });
    expect(draft()).not.toPassGate('updateDraft', { path: '/accounts/mine/drafts/1001' });
    const shorter = { ...project(), environments: project().environments.slice(1) };
    const before = { state: { _data: project() }, failOn: 'warn' } as const;
    expect(failing(() => expect(shorter).toPassGate('updateProject', before))).toContain(
      'environment 1 (Production) is left out: it is deleted permanently',
    );
    expect(project()).toPassGate('updateProject', before);
  });

  it('shows neither secrets nor what would steer a terminal', () => {
    const body = { ...project(), apiKey: 's3cret-value', name: 7, 'x\u001b[2J': 1 };
    const said = failing(() => expect(body).toPassGate('updateProject', { failOn: 'warn' }));
    expect(said).toContain('schema.unknown-field');
    expect(said).not.toContain('s3cret-value');
    expect(said).not.toContain('\u001b');
  });

  it('is a matcher within others, which no body keeps from looking on', () => {
    expect({ body: project() }).toEqual({ body: expect.toPassGate('updateProject') });
    expect([{}, { body: project() }]).toContainEqual({ body: expect.toPassGate('updateProject') });
    expect({ body: {} }).toEqual({ body: expect.not.toPassGate('updateProject') });
    expect({ body: undefined }).not.toEqual({ body: expect.not.toPassGate('updateProject') });
  });

  it('waits for a promise where it is told to, and says so where not', async () => {
    await expect(Promise.resolve(project())).resolves.toPassGate('updateProject');
    expect(failing(() => expect(Promise.resolve(project())).toPassGate('updateProject'))).toContain(
      'await it',
    );
  });

  it('fails, with and without not, where nothing can be judged', () => {
    for (const assertion of [expect(undefined), expect(undefined).not])
      expect(failing(() => assertion.toPassGate('updateProject'))).toContain(
        'the body is undefined: there is nothing to judge',
      );
  });

  it.each([
    [
      'updateProjct',
      {},
      'the contract has no operation "updateProjct"\n  operations: updateProject, updateFeature, updateDraft; did you mean updateProject?',
    ],
    [undefined, {}, 'the contract has no operation undefined'],
    ['updateProject', { path: DRAFT }, `a PATCH of ${DRAFT} is updateDraft, not updateProject`],
    ['updateProject', { path: '/nowhere' }, 'no operation of the contract is a PATCH of /nowhere'],
    ['updateProject', { path: 'accounts' }, 'the path "accounts" does not begin with a slash'],
    ['updateProject', { state: {} }, 'the state is no project'],
    ['updateProject', { state: { a: project(), b: project() } }, 'the state is no project'],
    ['updateProject', { failon: 'warn' }, 'the unknown member "failon"\n  did you mean failOn?'],
    ['updateProject', { failOn: 'never' }, 'failOn cannot be "never"'],
    ['updateProject', null, 'what is given beside the operation is no object'],
  ])('is used wrongly: %j, %j', (operation, options, message) => {
    for (const assertion of [expect(project()), expect(project()).not])
      expect(failing(() => assertion.toPassGate(operation as string, options as never))).toContain(message);
  });
});
