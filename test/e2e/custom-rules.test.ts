/** A team's own rules, as docs/your-api.md tells of them: each block of that page is a file in test/support/team. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gateOf } from '../../src/app/gate.ts';
import type { Gate } from '../../src/gate/gate.ts';
import { resolveConfig } from '../../src/settings/config.ts';
import { project } from '../support/bodies.ts';
import { laterRefusal } from '../support/errors.ts';
import { brief } from '../support/gate.ts';
import { startGate } from '../support/in-process.ts';
import { startTarget, type Target } from '../support/target.ts';
// @ts-expect-error: a config in JavaScript has no types
import team from '../support/team/patchgate.config.mjs';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { blocksBelow } from '../support/walk.ts';

const TEAM = fileURLToPath(new URL('../support/team/', import.meta.url));
const CONFIG = `${TEAM}patchgate.config.mjs`;
const PAGE = readFileSync(new URL('../../docs/your-api.md', import.meta.url), 'utf8');

async function gateWith(settings: object): Promise<Gate> {
  return gateOf((await resolveConfig({ ...settings }, { guard: 'on' })).config);
}

function inspectAs(gate: Gate, operation: string, body: object) {
  const headers = ['content-type', 'application/json'];
  const request = { method: 'PATCH', url: '', headers, body: Buffer.from(JSON.stringify(body)) };
  return gate.inspect(request, { operation, parameters: {}, findings: [] });
}

let target: Target;
let url: string;
beforeAll(async () => {
  target = await startTarget((_, res) => res.end('answered'));
  ({ url } = await startGate({ config: CONFIG, target: target.url, state: '' }));
});
beforeEach(() => {
  target.received.length = 0;
});

it('the contract of the page loads, and guards no project', async () => {
  const contract = temporaryFolder();
  const [text = ''] = blocksBelow('docs/your-api.md', 'A contract', 'json');
  writeFileSync(join(contract, 'contract.json'), text);
  writeFileSync(join(contract, 'user.json'), '{"type":"object","required":["email"]}');
  const gate = await startGate({ target: target.url, contract, guard: 'on' });
  const patch = (path: string) =>
    fetch(gate.url + path, { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{}' });
  expect((await patch('/v1/users/7')).status).toBe(422);
  expect((await patch('/v1/accounts/current/projects/42')).status).toBe(200);
  expect(await (await fetch(`${gate.url}/__patchgate/health`)).json()).toMatchObject({ guard: 'off' });
});

const withName = (name: string, more = {}) => ({
  ...project(),
  environments: [{ id: 1, name, isEnabled: true }],
  ...more,
});

async function patch(body: unknown, id = 42) {
  const response = await fetch(`${url}/api/v2/accounts/current/projects/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body, null, 2),
  });
  const text = await response.text();
  return { status: response.status, text, findings: response.headers.get('patchgate-findings') };
}

describe('a proxy with rules of a team', () => {
  it('blocks what breaks one, and says why and what to do', async () => {
    const { status, text } = await patch(withName('production'));
    expect(status).toBe(422);
    const problem = JSON.parse(text) as { detail: string; findings: unknown[] };
    expect(problem).toMatchObject({
      type: 'urn:patchgate:problem:invalid-request',
      operation: 'updateProject',
    });
    expect(problem.findings[0]).toEqual({
      rule: 'team.environment-names',
      severity: 'error',
      basis: 'inferred',
      source: 'team handbook: environments',
      pointer: '/environments/0/name',
      message: 'no deployment knows the environment "production"',
      hint: 'take Production, Staging, Development, or preview-<number>',
      line: 10,
      column: 15,
    });
    expect(target.received).toHaveLength(0);
    expect((await patch(withName('preview-7'))).text).toBe('answered');
  });

  it('has severities by path', async () => {
    expect((await patch(withName('Production', { owner: 1 }))).status).toBe(422);
    const elsewhere = await patch(withName('Production', { owner: 1 }), 43);
    expect([elsewhere.status, elsewhere.findings]).toEqual([
      200,
      expect.stringContaining('{"rule":"schema.unknown-field","severity":"warn","pointer":"/owner"}'),
    ]);
  });
});

describe('a gate with rules of a team', () => {
  it('asks them what a request does to what is known', async () => {
    const own = await gateWith({ config: CONFIG });
    const known = { record: project(), isWhole: true };
    const body = {
      ...project(),
      environments: [{ id: 1, name: 'Staging', isEnabled: true }, project().environments[1]],
    };
    const head = {
      method: 'PATCH',
      url: '/accounts/1/projects/7',
      headers: ['content-type', 'application/json'],
    };
    const { verdict } = own.inspect({ ...head, body: Buffer.from(JSON.stringify(body)) }, undefined, {
      known,
    });
    expect(brief(verdict.findings)).toEqual(['team.protected-environments warn /environments']);
    expect(verdict.findings[0]?.message).toBe('environment 1 (Production) becomes "Staging"');
  });

  it('does not start with one that does not work', async () => {
    const [rule] = team.customRules.updateProject;
    const broken = { ...rule, check: () => [] };
    expect(
      await laterRefusal('bad-config', gateWith({ customRules: { updateProject: [rule, broken] } })),
    ).toContain(
      'customRules.updateProject[1].name in the settings given: customRules.updateProject[0] in the settings given is another rule',
    );
    expect(
      await laterRefusal('bad-config', gateWith({ customRules: { updateProject: [broken] } })),
    ).toContain(
      'customRules.updateProject[0] in the settings given: the rule team.environment-names lets its canary pass',
    );
    expect(
      await laterRefusal('bad-config', gateWith({ customRules: { updateProject: [{ ...rule, says: '' }] } })),
    ).toContain('customRules.updateProject[0].says in the settings given');
  });

  it('stops what makes a rule throw', async () => {
    const [rule] = team.customRules.updateProject;
    const check = (context: { body: { boom?: boolean } }) => {
      if (context.body.boom) throw new Error('broken');
      return rule.check(context);
    };
    const own = await gateWith({
      customRules: { updateProject: [{ ...rule, check }] },
      overrides: [{ rules: { [rule.name]: 'off' } }],
    });
    const { verdict } = inspectAs(own, 'updateProject', { ...project(), boom: true });
    expect(verdict.outcome).toBe('block');
    expect(verdict.findings.map(({ message }) => message)).toContain(
      'the rule failed, so the request cannot be judged: broken',
    );
  });

  it('tells of them beside its own, and takes them for several operations', async () => {
    const [rule] = team.customRules.updateProject;
    const own = await gateWith({ customRules: { updateProject: [rule], updateDraft: [rule] } });
    expect(own.rules.filter(({ name }) => name.startsWith('team.'))).toEqual([
      expect.objectContaining({ severity: 'error', basis: 'inferred', says: rule.says, source: rule.source }),
    ]);
    const { verdict } = inspectAs(own, 'updateDraft', { environments: [{ name: 'x' }] });
    const rules = verdict.findings.map((finding) => finding.rule);
    expect(rules).toContain('team.environment-names');
  });
});

describe('the page', () => {
  it.each(['environment-names.mjs', 'protected-environments.mjs', 'patchgate.config.mjs', 'rules.test.mjs'])(
    'shows %s as it is',
    (file) => {
      expect(PAGE).toContain(`\`\`\`js\n${readFileSync(TEAM + file, 'utf8')}\`\`\``);
    },
  );

  it('shows nothing else in JavaScript', () => {
    expect(PAGE.match(/^```js$/gm)).toHaveLength(4);
  });
});
