import { describe, expect, it } from 'vitest';
import '../../../src/testing/vitest.ts';
import { project } from '../../support/bodies.ts';
import { failing } from '../../support/failing.ts';

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
