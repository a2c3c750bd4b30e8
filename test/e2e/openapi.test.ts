import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, startBinary } from '../support/binary.ts';
import { runHere } from '../support/run-here.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const document = (name: string) => join(ROOT, 'test/contract/openapi', name);

const patch = async (url: string, body: unknown) => {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'PATCH', headers, body: JSON.stringify(body) })).status;
};

it('stands in front of any API that has an OpenAPI document', async () => {
  const target = await startTarget();
  const gate = await startBinary(['proxy', target.url, '--contract', document('github.json')]);
  expect(gate.stderr()).toMatch(/github\.json: 8 operations taken, none left out/);
  expect(await patch(`${gate.url}/user/memberships/orgs/o`, { state: 'active' })).toBe(200);
  expect(await patch(`${gate.url}/user/memberships/orgs/o`, { state: 'pending' })).toBe(422);
  expect(await patch(`${gate.url}/elsewhere`, { state: 'pending' })).toBe(200);
});

it('imports a document into a folder that proxy takes', async () => {
  const cwd = temporaryFolder();
  const args = ['contract', 'import', document('petstore.yaml'), '--out', 'pets', '--methods', 'post,PUT'];
  const { code, stdout } = await runHere(args, { cwd });
  expect(stdout).toBe(`pets: 5 operations taken, 0 left out, below /v2
Other media types than JSON are refused: 2
  addPet
  updatePet
`);
  expect(code).toBe(0);
  expect(readdirSync(join(cwd, 'pets')).sort()).toEqual(['contract.json', 'schemas.json']);
  const { operations } = JSON.parse(readFileSync(join(cwd, 'pets/contract.json'), 'utf8'));
  expect(operations.updateUser).toMatchObject({ method: 'PUT', path: '/user/{username}' });
  const checked = await runHere(['config', '--contract', 'pets'], { cwd });
  expect(checked.code).toBe(0);
  const again = await runHere(args, { cwd });
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('contract.json is there already') });
});

it('exits with 1 where --strict left something out, and takes what --only names', async () => {
  const cwd = temporaryFolder();
  const text = readFileSync(document('petstore.yaml'), 'utf8').replaceAll('application/json', 'text/csv');
  writeFileSync(join(cwd, 'api.yaml'), text);
  const strict = ['contract', 'import', 'api.yaml', '--out', 'out', '--strict'];
  expect(await runHere(strict, { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no operation could be taken; POST /pet: its body is not JSON'),
  });
  const github = ['contract', 'import', document('github.json'), '--out', 'out'];
  const only = await runHere([...github, '--only', 'PATCH /orgs/**', '--strict'], { cwd });
  expect(only).toMatchObject({ code: 0, stdout: expect.stringContaining('2 operations taken') });
});

it.each([
  [['none.yaml', '--out', 'x'], /cannot read none\.yaml: .*\(?name an OpenAPI document/s],
  [['none.yaml'], /Missing required argument|missing --out/],
  [['none.yaml', '--out', 'x', '--methods', 'GET'], /invalid value "GET" for --methods/],
])('refuses contract import %j', async (args, says) => {
  const { code, stderr } = await runHere(['contract', 'import', ...args]);
  expect(stderr).toMatch(says);
  expect(code).toBe(2);
});
