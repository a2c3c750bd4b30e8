import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gateOf } from '../../src/app/gate.ts';
import { resolveConfig } from '../../src/settings/config.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it("takes no target whose path may be an operation's first parameter: the client's path would not be judged", async () => {
  const contract = join(temporaryFolder(), 'api.json');
  const body = { content: { 'application/json': { schema: { type: 'object', required: ['name'] } } } };
  const tenant = { name: 'tenant', in: 'path', required: true, schema: { type: 'string' } };
  const responses = { 200: { description: 'updated' } };
  const patch = { operationId: 'updateThing', parameters: [tenant], requestBody: body, responses };
  const info = { title: 'Things', version: '1' };
  writeFileSync(
    contract,
    JSON.stringify({ openapi: '3.0.0', info, paths: { '/{tenant}/things': { patch } } }),
  );
  const start = async (target: string) => gateOf((await resolveConfig({ contract, target })).config);
  await expect(start('http://h/acme')).rejects.toThrow('/acme reaches into /{tenant}/things');
  const gate = await start('http://h');
  expect(gate.match({ method: 'PATCH', url: '/acme/things', headers: [] })).toMatchObject({
    operation: 'updateThing',
  });
});
