import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { draft, feature, project } from '../support/bodies.ts';
import '../support/matchers.ts';

/** The message with which an assertion fails, without colours. @throws Error where it holds */
function failing(assertion: () => void): string {
  try {
    assertion();
  } catch (error) {
    return stripVTControlCharacters((error as Error).message);
  }
  throw new Error('the assertion holds');
}

const BEFORE = {
  name: 'Checkout',
  languages: ['GO', 'PHP'],
  environments: [
    { id: 1, name: 'Production', isEnabled: true },
    { id: 2, name: 'Staging', isEnabled: false },
  ],
};
const WITHOUT_STAGING = { ...BEFORE, environments: BEFORE.environments.slice(0, 1) };

describe('toPassGate', () => {
  it('lets pass what the gate lets pass: objects, text and bytes', () => {
    expect(project()).toPassGate('updateProject');
    expect(JSON.stringify(feature())).toPassGate('updateFeature');
    expect(Buffer.from(JSON.stringify(draft()))).toPassGate('updateDraft');
    expect({ name: 'Checkout' }).not.toPassGate('updateProject');
  });

  it('shows the findings at their lines', () => {
    const said = failing(() =>
      expect({ name: 7, languages: ['GO'], environments: [] }).toPassGate('updateProject'),
    );
    expect(said).toContain('The gate blocks this body as updateProject:');
    expect(said).toContain('body:2:11  error  schema.type  /name must be a string, not a number');
  });

  it('counts warnings if it is asked to', () => {
    const body = { ...project(), extra: 1 };
    expect(body).toPassGate('updateProject');
    expect(body).not.toPassGate('updateProject', { failOn: 'warn' });
  });

  it('judges by path, headers and the state before', () => {
    const path = '/accounts/current/drafts/1';
    expect(draft()).not.toPassGate('updateDraft', { path });
    expect(project()).not.toPassGate('updateProject', { headers: { 'content-type': 'text/plain' } });
    expect(BEFORE).toPassGate('updateProject', { failOn: 'warn', state: BEFORE });
    expect(WITHOUT_STAGING).not.toPassGate('updateProject', { failOn: 'warn', state: { project: BEFORE } });
  });

  it.each([
    [() => expect({}).toPassGate('updateProjekt'), 'did you mean updateProject?'],
    [() => expect({}).toPassGate('updateProject', { patth: '/' } as never), 'there is no "patth"'],
    [() => expect({}).toPassGate('updateProject', { path: '/elsewhere' }), 'is not updateProject'],
    [() => expect({}).toPassGate('updateProject', { state: {} }), 'the state is no project'],
    [() => expect({}).toHaveFinding('updateProject', { rule: 'schema.typ' }), 'did you mean "schema.type"?'],
    [() => expect({}).toDelete({ environments: [] }, null as never), 'the state is no project'],
    [() => expect({}).toDelete(undefined as never, BEFORE), 'the deletions: this is no object'],
    [() => expect(Promise.resolve({})).toPassGate('updateProject'), 'await a promise'],
  ])('says what is wrong with the question (%#)', (asked, says) => {
    expect(failing(asked)).toContain(says);
  });
});

describe('toHaveFinding', () => {
  it('compares as the runner does, within other matchers too', () => {
    const body = { ...project(), name: 7 };
    expect(body).toHaveFinding('updateProject', { rule: 'schema.type', pointer: '/name' });
    expect(body).toHaveFinding('updateProject', { message: /string/, rule: expect.stringContaining('type') });
    expect(body).not.toHaveFinding('updateProject', { pointer: '/languages' });
    expect(body).not.toHaveFinding('updateProject', { rule: 'schema.minimum' });
    expect({ body }).toEqual({ body: expect.toHaveFinding('updateProject', { severity: 'error' }) });
  });

  it('shows the difference', () => {
    const asked = () => expect({ ...project(), name: 7 }).toHaveFinding('updateProject', { pointer: '/nam' });
    expect(failing(asked)).toMatch(/-.*"pointer": "\/nam"[\s\S]*\+.*"pointer": "\/name"/);
    expect(failing(() => expect({}).toHaveFinding('updateProject', {}))).toContain('members: rule');
  });
});

describe('toDelete', () => {
  it('holds for exactly these environments and languages', () => {
    expect(WITHOUT_STAGING).toDelete({ environments: ['Staging'] }, BEFORE);
    expect(WITHOUT_STAGING).toDelete({ environments: [2], languages: [] }, { project: BEFORE });
    expect(BEFORE).toDelete({ environments: [] }, BEFORE);
    expect({ ...BEFORE, languages: ['GO'] }).toDelete({ environments: [], languages: ['PHP'] }, BEFORE);
    expect(WITHOUT_STAGING).not.toDelete({ environments: [] }, BEFORE);
  });

  it('shows the difference, and refuses what the state does not have', () => {
    const said = failing(() => expect(WITHOUT_STAGING).toDelete({ environments: [1] }, BEFORE));
    expect(said).toMatch(/-.*Production[\s\S]*\+.*Staging/);
    expect(failing(() => expect(BEFORE).not.toDelete({ environments: ['Stagin'] }, BEFORE))).toContain(
      'the state has no environments "Stagin"',
    );
    for (const assertion of [expect({ name: 7 }), expect({ name: 7 }).not])
      expect(failing(() => assertion.toDelete({ environments: [] }, BEFORE))).toContain(
        'blocks this body in any case',
      );
  });
});
