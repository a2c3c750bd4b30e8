import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/json/json.ts';
import { type Fake, type FakeOptions, startFake } from '../../../src/upstreams/fake/start-fake.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const fakes: Fake[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const fake of fakes.splice(0)) await fake.close();
});

async function start(options: Partial<FakeOptions> = {}): Promise<Fake> {
  const fake = await startFake(options);
  fakes.push(fake);
  return fake;
}

const PROJECT = '/api/v2/accounts/current/projects/42';
const JSON_TYPE = { 'content-type': 'application/json' };

function patch(fake: Fake, path: string, body: unknown): Promise<Response> {
  return fetch(fake.url + path, { method: 'PATCH', headers: JSON_TYPE, body: JSON.stringify(body) });
}

const jsonOf = async (response: Response) => (await response.json()) as JsonObject;
const read = async (fake: Fake, path: string) => jsonOf(await fetch(fake.url + path));

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

  test('nested too deep to be written out is refused, and the record still answers', async () => {
    const fake = await start();
    const path = '/api/v2/accounts/current/features/7';
    const before = await read(fake, path);
    const depth = 200_000;
    const response = await fetch(fake.url + path, {
      method: 'PATCH',
      body: `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`,
    });
    expect(response.status).toBe(413);
    expect(await read(fake, path)).toEqual(before);
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
  const fake = await start({ seed: { accounts: { 5: { projects: { 1: record } } } } });
  const path = '/api/v2/accounts/5/projects/1';
  await patch(fake, path, { ...record, name: 'changed' });
  expect((await read(fake, path)).name).toBe('changed');
  expect((await fetch(fake.url + PROJECT)).status).toBe(404);
});

test('each session has records of its own, which end with it', async () => {
  const fake = await start();
  const nameIn = async (session?: string, name?: string) => {
    const headers = { ...JSON_TYPE, ...(session !== undefined && { 'patchgate-session': session }) };
    const body = name === undefined ? {} : { method: 'PATCH', body: JSON.stringify({ name }) };
    const response = await fetch(fake.url + PROJECT, { headers, ...body });
    return response.status === 200 ? (await jsonOf(response)).name : response.status;
  };
  fake.start({ id: 1, name: '' });
  fake.start({ id: 2, name: 'b' });
  expect(await nameIn('1', 'one')).toBe('one');
  expect(await nameIn('2', 'two')).toBe('two');
  expect(await Promise.all([nameIn('1'), nameIn('2'), nameIn(), nameIn('3')])).toEqual([
    ...['one', 'two', 'Checkout', 404],
  ]);
  fake.end({ id: 1, name: '' });
  expect(await Promise.all([nameIn('1', 'late'), nameIn('2')])).toEqual([404, 'two']);
});

describe('a seed', () => {
  const file = join(temporaryFolder(), 'seed.json');

  test('is read from a file', async () => {
    writeFileSync(file, JSON.stringify({ accounts: { current: { projects: { 7: { name: 'seven' } } } } }));
    const fake = await start({ seed: file });
    const session = { id: 1, name: '' };
    fake.start(session);
    expect(fake.recordOf(session, { account: 'current', kind: 'project', id: '7' })).toEqual({
      name: 'seven',
    });
  });

  test('that is not there is named', async () => {
    await expect(start({ seed: `${file}.none` })).rejects.toMatchObject({
      code: 'bad-input',
      message: `cannot read the seed ${file}.none: it does not exist`,
      hint: expect.stringContaining('--seed'),
    });
  });

  test('that is broken is named with the place', async () => {
    writeFileSync(file, '{"accounts": {},}');
    await expect(start({ seed: file })).rejects.toThrow(`${file}:1:17: `);
  });

  test.each([
    ['a list', '[]', '1:1'],
    ['an account that is no object', '{ "accounts": {\n  "current": 1 } }', '2:14'],
    ['an id that no path can have', '{"accounts":{"current":{"projects":{\n"042":{}}}}}', '2:1'],
    ['a misspelt kind', '{"accounts":{"current":{\n"project":{}}}}', '2:1'],
  ])('that is %s is refused at its place', async (_, text, place) => {
    writeFileSync(file, text);
    await expect(start({ seed: file })).rejects.toThrow(`${file}:${place}`);
  });
});
