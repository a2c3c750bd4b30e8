import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/json/json.ts';
import { createFake } from '../../../src/upstreams/fake/fake.ts';
import { loadSeed, type State, sampleState } from '../../../src/upstreams/fake/seed.ts';
import { type ServedUpstream, serveUpstream } from '../../support/serve-upstream.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const fakes: ServedUpstream[] = [];
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close();
});

async function start(seed: State = sampleState()): Promise<ServedUpstream> {
  const fake = await serveUpstream(createFake(seed));
  fakes.push(fake);
  return fake;
}

const PROJECT = '/api/v2/accounts/current/projects/42';
const JSON_TYPE = { 'content-type': 'application/json' };

function patch(fake: ServedUpstream, path: string, body: unknown): Promise<Response> {
  return fetch(fake.url + path, { method: 'PATCH', headers: JSON_TYPE, body: JSON.stringify(body) });
}

const jsonOf = async (response: Response) => (await response.json()) as JsonObject;
const read = async (fake: ServedUpstream, path: string) => jsonOf(await fetch(fake.url + path));

describe('PATCH', () => {
  test('of a project deletes the environment that is left out, and creates the unknown one', async () => {
    const fake = await start();
    const desired = {
      name: 'Checkout 2',
      languages: ['GO'],
      environments: [
        { id: 2, name: 'Staging', isEnabled: true },
        { id: 9, name: 'Test', isEnabled: false },
      ],
    };
    const response = await patch(fake, PROJECT, desired);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual(desired);
    expect(await read(fake, PROJECT)).toEqual(desired);
  });

  test.each([
    ['features/7', { description: 'x' }],
    ['drafts/1001', { percentTraffic: 50 }],
  ])('of %s replaces the fields that it carries', async (record, change) => {
    const fake = await start();
    const path = `/api/v2/accounts/current/${record}`;
    const before = await read(fake, path);
    expect(await (await patch(fake, path, change)).json()).toEqual({ ...before, ...change });
  });

  test.each([
    ['no JSON', '{"name":'],
    ['a list', '[]'],
    ['bytes that are no UTF-8', Buffer.from('{"name":"\xff"}', 'latin1')],
    ['a byte order mark', '\ufeff{}'],
    ['no body', undefined],
  ])('with %s is answered 400 and changes nothing', async (_, body) => {
    const fake = await start();
    const before = await read(fake, PROJECT);
    const response = await fetch(fake.url + PROJECT, {
      method: 'PATCH',
      ...(body !== undefined && { body }),
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await response.json()).toMatchObject({ type: 'about:blank', title: 'Bad Request', status: 400 });
    expect(await read(fake, PROJECT)).toEqual(before);
  });
});

describe('what is not there', () => {
  test.each([
    '/api/v2/accounts/current/projects/43',
    '/api/v2/accounts/197/projects/42',
    '/api/v2/accounts/current/__proto__/42',
    '/api/v2/accounts/__proto__/projects/42',
    '/api/v2/accounts/current/projects',
    '/',
  ])('%s is answered 404', async (path) => {
    const fake = await start();
    for (const method of ['GET', 'PATCH']) {
      const response = await fetch(fake.url + path, { method });
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    }
  });

  test.each(['DELETE', 'POST', 'PUT', 'OPTIONS'])('%s is answered 405 with Allow', async (method) => {
    const fake = await start();
    const response = await fetch(fake.url + PROJECT, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, PATCH');
    expect((await fetch(fake.url + PROJECT)).status).toBe(200);
  });
});

test.each(['', '/api/v2', '/a/b/c'])('the prefix "%s" is as good as any', async (prefix) => {
  const fake = await start();
  expect((await fetch(`${fake.url}${prefix}/accounts/current/projects/42`)).status).toBe(200);
});

test('a seed takes the place of the sample', async () => {
  const record = { name: 'Mine', languages: [], environments: [] };
  const fake = await start({ accounts: { 5: { projects: { 1: record } } } });
  const path = '/api/v2/accounts/5/projects/1';
  await patch(fake, path, { ...record, name: 'changed' });
  expect((await read(fake, path)).name).toBe('changed');
  expect((await fetch(fake.url + PROJECT)).status).toBe(404);
});

test('each session has records, which end with it', async () => {
  const fake = await start();
  const nameIn = async (session: string, name?: string) => {
    const headers = { ...JSON_TYPE, 'patchgate-session': session };
    const body = name === undefined ? {} : { method: 'PATCH', body: JSON.stringify({ name }) };
    return (await jsonOf(await fetch(fake.url + PROJECT, { headers, ...body }))).name;
  };
  expect(await nameIn('a', 'one')).toBe('one');
  expect(await nameIn('b', 'two')).toBe('two');
  expect(await Promise.all([nameIn('a'), nameIn('b'), nameIn('c')])).toEqual(['one', 'two', 'Checkout']);
  fake.sessions.end('a');
  expect(await Promise.all([nameIn('a'), nameIn('b')])).toEqual(['Checkout', 'two']);
});

describe('a seed', () => {
  const file = join(temporaryFolder(), 'seed.json');

  test('that is not there is named', async () => {
    await expect(loadSeed(`${file}.none`)).rejects.toMatchObject({
      code: 'bad-input',
      message: `cannot read the seed ${file}.none: it does not exist`,
      hint: expect.stringContaining('--seed'),
    });
  });

  test.each([
    ['a list', '[]', '1:1'],
    ['an account that is no object', '{ "accounts": {\n  "current": 1 } }', '2:14'],
    ['an id that no path can have', '{"accounts":{"current":{"projects":{\n"042":{}}}}}', '2:1'],
    ['a misspelt kind', '{"accounts":{"current":{\n"project":{}}}}', '2:1'],
  ])('that is %s is refused at its place', async (_, text, place) => {
    writeFileSync(file, text);
    await expect(loadSeed(file)).rejects.toThrow(`${file}:${place}`);
  });
});
