import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gateOf } from '../../../../src/app/compose-gate.ts';
import { gateAgainst } from '../../../../src/commands/check/contracts/gate-against.ts';
import type { ContractFile } from '../../../../src/model/contract.ts';
import type { Rule } from '../../../../src/model/rule.ts';
import { resolveConfig } from '../../../../src/settings/config.ts';
import { laterRefusal } from '../../../support/errors.ts';
import { PROJECT_URL, patch, SCHEMAS } from '../../../support/gate.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const rule = (name: string): Rule => ({
  name,
  severity: 'warn',
  basis: 'stated',
  says: 'a body is welcome to the team',
  source: 'the team',
  *check({ body }) {
    if (JSON.stringify(body).includes('unwelcome')) yield { pointer: '', message: 'the body is not welcome' };
  },
  examples: { passes: [{ body: {} }], fails: [{ body: { name: 'unwelcome' }, pointers: [''] }] },
});

it('settings count for the contract before, as far as it has the operations', async () => {
  const old = temporaryFolder();
  cpSync(SCHEMAS, old, { recursive: true });
  const file = join(old, 'contract.json');
  const contract = JSON.parse(readFileSync(file, 'utf8')) as ContractFile;
  const { updateProject } = contract.operations;
  writeFileSync(file, JSON.stringify({ ...contract, operations: { updateProject } }));
  const settings = {
    customRules: {
      updateProject: [rule('team.project')],
      updateFeature: [rule('team.feature')],
    },
    rules: { 'team.project': 'error', 'team.feature': 'error', 'project.empty-list': 'error' },
    overrides: [
      { paths: ['/accounts/*/features/*'], rules: { 'team.feature': 'off', 'schema.type': 'warn' } },
    ],
  };
  const cwd = temporaryFolder();
  const { config } = await resolveConfig(settings, { guard: 'off' }, {}, cwd);
  const gate = await gateAgainst(await gateOf(config, { lazy: true }), config, old);
  const { verdict } = gate.inspect(
    patch(PROJECT_URL, { name: 'unwelcome', languages: [], environments: [] }),
  );
  expect(verdict.findings.map((one) => [one.rule, one.severity, 'stands' in one && one.stands])).toEqual([
    ['project.empty-list', 'error', 'in both'],
    ['project.empty-list', 'error', 'in both'],
    ['team.project', 'error', 'in both'],
  ]);
});

it('refuses a contract that does not load, and names it', async () => {
  const cwd = temporaryFolder();
  const { config } = await resolveConfig({}, { guard: 'off' }, {}, cwd);
  const gate = await gateOf(config, { lazy: true });
  const none = join(cwd, 'none');
  expect(await laterRefusal('bad-contract', gateAgainst(gate, config, none))).toContain(
    `--against-contract ${none}: cannot read the contract`,
  );
});
