import { describe, expect, it } from 'vitest';
import { fake, invalidBodies } from '../../../src/testing/index.ts';
import '../../support/matchers.ts';
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

const partial = { name: 'Checkout', environments: project().environments };

describe('toHaveFinding', () => {
  it('knows a finding by whatever is given of it', () => {
    expect(partial).toHaveFinding('updateProject', { rule: 'schema.required', pointer: '/languages' });
    expect(partial).toHaveFinding('updateProject', { pointer: /^\/lang/g, severity: 'error', line: 1 });
    expect(partial).toHaveFinding('updateProject', { hint: expect.stringContaining('full project') });
    expect(partial).not.toHaveFinding('updateProject', { rule: 'schema.required', pointer: '/name' });
    expect(partial).not.toHaveFinding('updateProject', { rule: 'schema.required', severity: 'warn' });
    expect({ draftId: 8 }).toHaveFinding(
      'updateDraft',
      { rule: 'draft.id-matches-path' },
      { path: '/accounts/current/drafts/7' },
    );
  });

  it('knows what invalid bodies must give', async () => {
    for (const { body, finding, path } of await invalidBodies('updateProject'))
      expect(body).toHaveFinding('updateProject', finding, { path });
  });

  it('shows what there is instead', () => {
    const wanted = { rule: 'schema.required', pointer: '/environments' };
    expect(failing(() => expect(partial).toHaveFinding('updateProject', wanted))).toBe(`\
expect(body).toHaveFinding(operation, finding)

The gate has no such finding of this updateProject:
  rule: "schema.required"
  pointer: "/environments"

It has 1 finding:

  body:1:2  error  schema.required  /languages is missing
    1 | {
      |  ^
    at /languages, stated, service-api 4.1 rule 1
    hint: send the full project: a partial update is not supported`);
    expect(failing(() => expect(project()).toHaveFinding('updateProject', wanted))).toContain(
      'It has no findings.',
    );
  });

  it('shows the finding that was not to be there', () => {
    const said = failing(() => expect({}).not.toHaveFinding('updateProject', { pointer: '/name' }));
    expect(said).toContain(
      'The gate has this finding of this updateProject:\n\n  body:1:2  error  schema.required',
    );
    expect(said).not.toContain('/languages');
  });

  it('cannot tell where the gate has more findings than it reports', () => {
    const body = { ...project(), languages: Array.from({ length: 150 }, () => 'COBOL') };
    expect(body).toHaveFinding('updateProject', { pointer: '/languages/0' });
    for (const assertion of [expect(body), expect(body).not])
      expect(failing(() => assertion.toHaveFinding('updateProject', { pointer: '/name' }))).toMatch(
        /The gate has \d+ more findings of this updateProject than it reports/,
      );
  });

  it.each([
    [{}, 'nothing says which finding is meant'],
    [{ rule: 'schema.requird' }, 'there is no rule "schema.requird"\n  did you mean schema.required?'],
    [{ place: '/name' }, 'the unknown member "place"'],
    [{ rule: undefined }, 'rule, which is undefined'],
    ['schema.required', 'the finding that is expected is no object'],
  ])('is used wrongly: %j', (finding, message) => {
    for (const assertion of [expect(partial), expect(partial).not])
      expect(failing(() => assertion.toHaveFinding('updateProject', finding as never))).toContain(message);
  });
});

const [production, staging] = project().environments;
const with11 = { ...project(), environments: [{ ...production, id: 11 }, staging] };

describe('toDelete', () => {
  it('counts what is left out, by id or name', () => {
    const body = { ...project(), environments: [production] };
    expect(body).toDelete({ environments: [2] }, project());
    expect(body).toDelete({ environments: ['Staging'] }, { _data: project() });
    expect(body).not.toDelete({ environments: [] }, project());
    expect(body).not.toDelete({ environments: [1, 2] }, project());
    expect({ ...body, environments: [] }).toDelete({ environments: [2, 'Production'] }, project());
    expect(JSON.stringify(project())).toDelete({ environments: [] }, project());
  });

  it('looks at languages where it is told to', () => {
    const body = { ...project(), languages: ['GO'] };
    expect(body).toDelete({ environments: [] }, project());
    expect(body).toDelete({ environments: [], languages: ['NODEJS'] }, project());
    expect(body).not.toDelete({ environments: [], languages: [] }, project());
  });

  it('shows what is deleted, and where', () => {
    expect(failing(() => expect(with11).toDelete({ environments: [] }, project()))).toBe(`\
expect(body).toDelete(deletions, state)

Expected to be deleted: no environment

This PATCH deletes:
  -/+ environment 1 "Production" will be deleted permanently, and 11 created in its place; likely a typo: did you mean 1?

  body:9:13  warn  project.environment-replaced  environment 1 (Production) has the new id 11: 1 is deleted permanently, 11 is created
    9 |       "id": 11,
      |             ^
    at /environments/0/id, inferred, service-api 4.1 rule 6
    hint: did you mean 1?`);
  });

  it('shows what is kept, and what was not to be all', () => {
    const said = failing(() =>
      expect(project()).toDelete({ environments: [2], languages: ['GO'] }, project()),
    );
    expect(said).toContain('Expected to be deleted: environment 2 "Staging", language GO');
    expect(said).toContain('This PATCH deletes no environment and no language.');
    expect(said).toContain('To be deleted, and kept:\n  environment 2 "Staging"\n  language GO');
    expect(failing(() => expect(with11).not.toDelete({ environments: [1] }, project()))).toContain(
      'Expected something else to be deleted than: environment 1 "Production"',
    );
  });

  it('says of a body that is blocked in any case that it deletes nothing', () => {
    for (const assertion of [expect({ name: 'Checkout' }), expect({ name: 'Checkout' }).not])
      expect(failing(() => assertion.toDelete({ environments: [] }, project()))).toMatch(
        /would block this updateProject in any case.*schema\.required {2}\/environments is missing/s,
      );
    expect(failing(() => expect(null).not.toDelete({ environments: [] }, project()))).toContain(
      'schema.type',
    );
    expect(failing(() => expect(undefined).not.toDelete({ environments: [] }, project()))).toContain(
      'the body is undefined',
    );
  });

  const twins = { ...project(), environments: [production, { ...staging, name: 'Production' }] };
  it.each([
    [{ environments: [3] }, project(), 'has no environment 3\n  it has: environment 1 "Production", env'],
    [{ environments: ['staging'] }, project(), 'the state has no environment "staging"'],
    [{ environments: ['Production'] }, twins, 'several environments "Production"\n  give the id: 1, 2'],
    [{ environments: [], languages: ['RUBY'] }, project(), 'no language "RUBY"\n  it has: NODEJS, GO'],
    [{ environment: [] }, project(), 'the unknown member "environment"\n  did you mean environments?'],
    [{}, project(), 'what is to be deleted has no list of environments'],
    [{ environments: [], languages: 'GO' }, project(), 'what is to be deleted has no list of languages'],
    [{ environments: [] }, undefined, 'the state is no project'],
    [{ environments: [] }, { name: 'Checkout' }, 'the state is no project'],
  ])('is used wrongly: %j', (deletions, state, message) => {
    for (const assertion of [expect(project()), expect(project()).not])
      expect(failing(() => assertion.toDelete(deletions as never, state as never))).toContain(message);
  });
});
