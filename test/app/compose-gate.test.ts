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
  "overrides": [
    { "rules": { "schema.type": "warn" } },
    { "paths": "/projects/1", "rules": { "schema.typ": "off" } }
  ]
}`;

it('says where in the config file it is wrong, though only the contract shows that', async () => {
  const at = (from: string, to: string, file = FILE) => refused({ file: file.replace(from, to) });
  const plain = FILE.replace('/projects/1', '/accounts/**');
  expect(await at('schema.type', 'schema.tpye', plain)).toBe(
    'overrides[0].rules["schema.tpye"] in patchgate.config.json:3:18: there is no such rule (did you mean "schema.type"?)',
  );
  expect(await at('schema.type', 'request.json', plain)).toContain(
    'overrides[0].rules["request.json"] in patchgate.config.json:3:18 cannot be "warn"',
  );
  expect(await at('"/projects/1"', '["/projects/1"]')).toBe(
    'overrides[1].paths[0] in patchgate.config.json:4:17: no operation has a path like "/projects/1" (begin it with **, or with one of: /accounts)',
  );
  expect(await at('/projects/1', '/accounts/**')).toBe(
    'overrides[1].rules["schema.typ"] in patchgate.config.json:4:43: there is no such rule (did you mean "schema.type"?)',
  );
});

it('says which of a program and its config file is wrong', async () => {
  const wrong = [{ rules: { 'schema.tpye': 'off' } }];
  expect(await refused({ file: { overrides: wrong } })).toContain('in patchgate.config.json:1:25: there');
  expect(await refused({ file: {}, flags: { overrides: wrong } })).toContain('in the settings given: there');
  const overrides = [{ paths: '/x', rules: { 'schema.type': 'off' } }];
  expect(await refused({ file: {}, flags: { overrides } })).toContain('paths[0] in the settings given: no');
});
