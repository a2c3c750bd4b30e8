import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readTarget } from '../../../src/commands/plan/read-target.ts';
import type { TargetSettings } from '../../../src/upstreams/open-forward.ts';
import { fileOf, makeAuthority, makeCertificate } from '../../support/certificates.ts';
import { laterRefusal } from '../../support/errors.ts';
import { type Answer, freePort, startRawTarget, startTarget } from '../../support/target.ts';

const NAME = { account: 'current', kind: 'project', id: '42' } as const;
const PATH = '/accounts/current/projects/42';
const PROJECT = {
  name: 'Checkout',
  languages: ['GO'],
  environments: [{ id: 1, name: 'Production', isEnabled: true }],
};

const read = (url: string, settings: Partial<TargetSettings> = {}, headers: readonly string[] = []) =>
  readTarget(url, headers, NAME, PATH, {
    timeout: 5000,
    targetCa: undefined,
    targetInsecure: false,
    setHeader: [],
    ...settings,
  });

async function answering(answer: Answer, settings: Partial<TargetSettings> = {}) {
  const target = await startTarget(answer);
  return { target, read: () => read(target.url, settings) };
}

const json = (value: unknown, status = 200): Answer => {
  return (_req, res) =>
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

describe('a service', () => {
  it.each([PROJECT, { _data: PROJECT }, { ...PROJECT, id: 42, owner: 'me' }])(
    'is read by one GET: %j',
    async (body) => {
      const { target, read } = await answering(json(body));
      expect(await read()).toEqual({ record: PROJECT, isWhole: true });
      expect(target.received.map(({ method, url }) => `${method} ${url}`)).toEqual([`GET ${PATH}`]);
      expect(target.received[0]?.body).toHaveLength(0);
    },
  );

  it('gets the headers that were given, and its own path', async () => {
    const target = await startTarget(json(PROJECT));
    await read(`${target.url}/api/v2/`, {}, ['Authorization', 'Bearer abc', 'X-A', '1', 'X-A', '2']);
    expect(target.received[0]).toMatchObject({
      url: `/api/v2${PATH}`,
      headers: { authorization: 'Bearer abc', 'x-a': '1, 2', accept: 'application/json' },
    });
  });

  it('may code its answer, though it is asked not to', async () => {
    const { read } = await answering((_req, res) =>
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(PROJECT))),
    );
    expect(await read()).toEqual({ record: PROJECT, isWhole: true });
  });

  it.each([
    [401, '--header'],
    [403, '--header'],
    [404, '--account'],
    [500, '500'],
    [206, '206'],
  ])('that answers with %i cannot be read', async (status, hint) => {
    const { read } = await answering(json(PROJECT, status));
    const told = await laterRefusal('cannot-read', read());
    expect(told).toContain(`${PATH} was answered with the status ${status}`);
    expect(told).toContain(hint);
  });

  it.each([
    ['no JSON', 'the answer is no JSON'],
    [{ ...PROJECT, environments: undefined }, 'holds no whole project'],
    [{ ...PROJECT, id: 43 }, 'holds project 43'],
    [{ a: PROJECT, b: PROJECT }, 'holds more than one project'],
    ['', 'is no JSON'],
  ])('that shows no whole project cannot be read: %j', async (body, message) => {
    const { read } = await answering((_req, res) => {
      res.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    expect(await laterRefusal('cannot-read', read())).toContain(message);
  });

  it('is not followed elsewhere', async () => {
    const other = await startTarget(json(PROJECT));
    const { target, read } = await answering((_req, res) => {
      res.writeHead(302, { location: `${other.url}${PATH}` }).end();
    });
    expect(await laterRefusal('cannot-read', read())).toMatch(/status 302.*redirects are not followed/);
    expect([target.received.length, other.received.length]).toEqual([1, 0]);
  });

  it('that is not there, hangs up, or keeps silent is told', async () => {
    const port = await freePort();
    expect(await laterRefusal('target-unreachable', read(`http://127.0.0.1:${port}`))).toContain('refused');
    const rude = await startRawTarget((socket) => socket.once('data', () => socket.destroy()));
    expect(await laterRefusal('target-unreachable', read(rude.url))).toContain('closed the connection');
    const silent = await startRawTarget(() => undefined);
    expect(await laterRefusal('target-timeout', read(silent.url, { timeout: 50 }))).toContain('50 ms');
    expect(rude.sockets).toHaveLength(1);
  });

  it('is not read without end', async () => {
    const { read } = await answering((_req, res) => {
      res.writeHead(200);
      const more = () => {
        while (!res.destroyed && res.write(Buffer.alloc(65_536, 0x20)));
      };
      res.on('drain', more);
      more();
    });
    expect(await laterRefusal('cannot-read', read())).toContain('more than 5 MiB');
  });
});

describe('over TLS', () => {
  it('a service is verified, unless somebody says otherwise', async () => {
    const authority = await makeAuthority();
    const target = await startTarget(json(PROJECT), await makeCertificate(['127.0.0.1'], { authority }));
    expect(await laterRefusal('target-unreachable', read(target.url))).toContain('not trusted');
    expect(target.received).toHaveLength(0);
    expect(await read(target.url, { targetCa: fileOf(authority.cert) })).toMatchObject({ isWhole: true });
    expect(await read(target.url, { targetInsecure: true })).toMatchObject({ isWhole: true });
  });

  it('is not spoken of where there is none', async () => {
    const refusal = read('http://127.0.0.1:1', { targetInsecure: true });
    expect(await laterRefusal('bad-usage', refusal)).toContain('--target-insecure');
  });
});
