import { beforeEach, expect, it } from 'vitest';
import { PatchgateError, patchgate } from '../src/index.ts';
import { BAD_PROJECT, GOOD_PROJECT, PROJECT_PATH } from './support/e2e-bodies.ts';
import { startTarget, type Target } from './support/target.ts';

let target: Target;

beforeEach(async () => {
  target = await startTarget((req, res) => res.writeHead(req.method === 'GET' ? 404 : 200).end('answered'));
});

function patch(url: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url + PROJECT_PATH, { method: 'PATCH', headers, body: JSON.stringify(body) });
}

it('listens by itself', async () => {
  const listening = await patchgate('proxy', { target: target.url, port: 0, state: false });
  const { url, close } = await listening.listen();
  expect(await (await patch(url, GOOD_PROJECT)).text()).toBe('answered');
  expect((await patch(url, BAD_PROJECT)).status).toBe(422);
  await close();
  await listening.close();
});

it('refuses settings that it does not know', async () => {
  const refused = patchgate('proxy', { target: target.url, recrod: 'all' } as never);
  await expect(refused).rejects.toThrow(PatchgateError);
  await expect(refused).rejects.toMatchObject({ code: 'bad-config', hint: 'did you mean "record"?' });
});
