import { describe, expect, it } from 'vitest';
import { example, invalidBodies } from '../../src/testing/index.ts';
import { contractFolder, flagContract } from '../support/contract-folder.ts';
import { laterRefusal } from '../support/errors.ts';
import { brief, gate } from '../support/gate.ts';
import '../support/matchers.ts';
import { shouting } from '../support/team-rule.ts';

const OPERATIONS = ['updateProject', 'updateFeature', 'updateDraft'];
const PATHS = ['projects/42', 'features/7', 'drafts/1001'].map((path) => `/accounts/current/${path}`);

describe('an example', () => {
  it.each(OPERATIONS)('of %s is one that the gate has nothing to say of', async (operation) => {
    const path = PATHS[OPERATIONS.indexOf(operation)];
    expect(await example(operation)).toPassGate(operation, { path, failOn: 'warn' });
  });

  it('is a copy of its own, with the changes that are given', async () => {
    const changes = { name: 'Basket', languages: undefined, colour: 'red' };
    const body = await example<{ environments: object[] }>('updateProject', changes);
    expect(body).toEqual({ name: 'Basket', colour: 'red', environments: expect.any(Array) });
    body.environments.pop();
    expect((await example<typeof body>('updateProject')).environments).toHaveLength(2);
  });

  it("is that of one's own contract", async () => {
    const files = { 'contract.json': flagContract({ example: { recordId: 'cart', body: { on: true } } }) };
    const settings = { contract: contractFolder(files) };
    expect(await example('putFlag', {}, settings)).toEqual({ on: true });
    const [first] = await invalidBodies('putFlag', settings);
    expect(first).toMatchObject({ method: 'PUT', path: '/workspaces/1/flags/cart', status: 422 });
  });

  it.each([
    ['updateProjekt', {}, 'bad-usage', 'did you mean updateProject?'],
    ['putFlag', { contract: contractFolder() }, 'bad-contract', 'has no example of putFlag'],
  ] as const)('is refused for %s, and what to do is said', async (operation, settings, code, text) => {
    expect(await laterRefusal(code, example(operation, {}, settings))).toContain(text);
    expect(await laterRefusal(code, invalidBodies(operation, settings))).toContain(text);
  });
});

describe('invalid bodies', () => {
  it.each(OPERATIONS)('of %s have names of their own, and what the gate says of each', async (operation) => {
    const bodies = await invalidBodies(operation);
    expect(new Set(bodies.map(({ name }) => name)).size).toBe(bodies.length);
    const { inspect } = gate({ guard: 'off' });
    for (const { method, path, body, finding, findings, status } of bodies) {
      const headers = ['content-type', 'application/json'];
      const { verdict } = inspect({ method, url: path, headers, body: Buffer.from(JSON.stringify(body)) });
      expect({ status, findings: findings.length }).toEqual({
        status: verdict.status,
        findings: brief(verdict.findings).length,
      });
      expect(findings).toContainEqual(finding);
    }
  });

  it('break each member and each rule that needs to know no record', async () => {
    const names = (await invalidBodies('updateProject')).map(({ name }) => name);
    for (const name of [
      ...['null as the body', 'without /name', '7 at /name', '"x" at /environments/0/id'],
      ...['without /environments/0/isEnabled', 'project.unique-environment-id', 'project.unique-language'],
    ])
      expect(names).toContain(name);
  });

  it("come from rules of one's own, too", async () => {
    const bodies = await invalidBodies('updateProject', { customRules: { updateProject: [shouting()] } });
    expect(bodies.map(({ finding }) => finding.rule)).toContain(shouting().name);
  });
});
