import { describe, expect, it } from 'vitest';
import { invalidBodies } from '../../../src/testing/builders/mutations.ts';
import '../../../src/testing/vitest.ts';
import { project } from '../../support/bodies.ts';
import { failing } from '../../support/failing.ts';

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

  it('knows what invalid bodies must give', () => {
    const bodies = invalidBodies('updateProject');
    expect(bodies.length).toBeGreaterThan(20);
    for (const { text, finding, path, headers, state } of bodies)
      expect(text).toHaveFinding('updateProject', finding, { path, headers, state });
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
