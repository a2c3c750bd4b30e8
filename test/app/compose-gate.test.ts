import { expect, it } from 'vitest';
import { gateOf } from '../../src/app/compose-gate.ts';
import { type Given, resolve } from '../support/config.ts';
import { laterRefusal } from '../support/errors.ts';

/** Why there is no gate for such a config. */
async function refused(given: Given): Promise<string> {
  const { config } = await resolve(given);
  return laterRefusal('bad-config', gateOf(config, { lazy: true }));
}

const FILE = `{
  "rules": { "schema.type": "warn" },
  "overrides": [
    { "paths": "/projects/1", "rules": { "schema.typ": "off" } }
  ]
}`;

it('says where in the config file it is wrong, though only the contract shows that', async () => {
  const at = (from: string, to: string) => refused({ file: FILE.replace(from, to) });
  expect(await at('schema.type', 'schema.tpye')).toBe(
    'rules["schema.tpye"] in patchgate.config.json:2:14: there is no such rule (did you mean "schema.type"?)',
  );
  expect(await at('schema.type', 'request.json')).toContain(
    'rules["request.json"] in patchgate.config.json:2:14 cannot be "warn"',
  );
  expect(await at('"/projects/1"', '["/projects/1"]')).toBe(
    'overrides[0].paths[0] in patchgate.config.json:4:17: no operation has a path like "/projects/1" (begin it with **, or with one of: /accounts)',
  );
  expect(await at('/projects/1', '/accounts/**')).toBe(
    'overrides[0].rules["schema.typ"] in patchgate.config.json:4:43: there is no such rule (did you mean "schema.type"?)',
  );
});

it('says which of a program and its config file is wrong', async () => {
  const file = { rules: { 'schema.type': 'warn', 'schema.tpye': 'off' } };
  expect(await refused({ file, flags: { rules: { 'schema.type': 'off' } } })).toContain(
    'in patchgate.config.json:1:32: there',
  );
  expect(await refused({ file, flags: { rules: { 'schema.tpye': 'off' } } })).toContain(
    'in the settings given: there',
  );
  const overrides = [{ paths: '/x', rules: { 'schema.type': 'off' } }];
  expect(await refused({ file: {}, flags: { overrides } })).toContain('paths[0] in the settings given: no');
});
