/** What the target is told of who asks: nothing, unless that is wanted. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { fileOf, makeCertificate, type Pair } from '../support/certificates.ts';
import { GOOD_PROJECT, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { RawConnection, type RawRequest, requestBytes, sendRaw } from '../support/raw.ts';
import { type Received, startTarget, type Target } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KEY = 'k3y-of-staging-0815';
let target: Target;
let pair: Pair;
const gates: Record<'plain' | 'preserving' | 'telling' | 'secure' | 'setting', InProcess> = {} as never;
beforeAll(async () => {
  target = await startTarget();
  pair = await makeCertificate(['127.0.0.1']);
  const to = { target: target.url };
  gates.plain = await startGate(to);
  gates.preserving = await startGate({ ...to, preserveHost: true });
  const setHeader = ['X-Key=env:TARGET_KEY', 'X-Team=checkout', 'Cookie='];
  const env = { TARGET_KEY: KEY };
  gates.setting = await startGate({ ...to, setHeader }, 'proxy', env);
  gates.telling = await startGate({ ...to, forwardedHeaders: true });
  const tls = { tlsCert: fileOf(pair.cert), tlsKey: fileOf(pair.key) };
  gates.secure = await startGate({ ...to, ...tls, forwardedHeaders: true, preserveHost: true });
});

type Headers = [name: string, value: string][];

const HANDSHAKE: Headers = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
];
const WAYS: [string, RawRequest, Headers][] = [
  ['a judged request', { method: 'PATCH', path: PROJECT_PATH, body: JSON.stringify(GOOD_PROJECT) }, []],
  ['a streamed request', { path: '/x' }, []],
  ['a WebSocket', { path: '/socket' }, HANDSHAKE],
];

describe.each(WAYS)('%s', (_, request, own) => {
  /** The values of each header that was named, as the target got them. */
  const received = (...names: string[]): Record<string, string[]> => {
    const { rawHeaders } = target.received.at(-1) as Received;
    const all: Record<string, string[]> = {};
    rawHeaders.forEach((name, i) => {
      const value = rawHeaders[i + 1] as string;
      if (i % 2 === 0 && names.includes(name.toLowerCase()))
        all[name.toLowerCase()] = [...(all[name.toLowerCase()] ?? []), value];
    });
    return all;
  };
  const FORWARDED = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'];
  const ask = async (gate: InProcess, headers: Headers = []) => {
    await sendRaw(gate.port, { ...request, headers: [...headers, ...own] });
    return received('host', ...FORWARDED);
  };
  const targetHost = () => `127.0.0.1:${target.port}`;
  const THEIRS: Headers = [
    ['X-Forwarded-For', '192.0.2.1'],
    ['x-forwarded-for', '192.0.2.2, 192.0.2.3'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Host', 'shop.example'],
  ];

  it('tells of nobody, and says on what it was told', async () => {
    expect(await ask(gates.plain)).toEqual({ host: [targetHost()] });
    expect(await ask(gates.plain, THEIRS)).toEqual({
      host: [targetHost()],
      'x-forwarded-for': ['192.0.2.1', '192.0.2.2, 192.0.2.3'],
      'x-forwarded-proto': ['https'],
      'x-forwarded-host': ['shop.example'],
    });
  });

  it("has the client's host where that is preserved", async () => {
    expect(await ask(gates.preserving)).toEqual({ host: ['gate.localhost'] });
    expect(await ask(gates.preserving, [['Connection', own.length > 0 ? 'Upgrade, Host' : 'Host']])).toEqual({
      host: ['gate.localhost'],
    });
  });

  it('tells of the client where that is wanted', async () => {
    expect(await ask(gates.telling)).toEqual({
      host: [targetHost()],
      'x-forwarded-for': ['127.0.0.1'],
      'x-forwarded-proto': ['http'],
      'x-forwarded-host': ['gate.localhost'],
    });
  });

  it('tells of the client behind whom it was told of', async () => {
    expect(await ask(gates.telling, THEIRS)).toEqual({
      host: [targetHost()],
      'x-forwarded-for': ['192.0.2.1, 192.0.2.2, 192.0.2.3, 127.0.0.1'],
      'x-forwarded-proto': ['https, http'],
      'x-forwarded-host': ['shop.example'],
    });
  });

  it('tells of the client whatever that says of its connection', async () => {
    const named = 'X-Forwarded-For, X-Forwarded-Host';
    const headers: Headers = [...THEIRS, ['Connection', own.length > 0 ? `Upgrade, ${named}` : named]];
    expect(await ask(gates.telling, headers)).toEqual({
      host: [targetHost()],
      'x-forwarded-for': ['127.0.0.1'],
      'x-forwarded-proto': ['https, http'],
      'x-forwarded-host': ['gate.localhost'],
    });
  });

  it('has the headers that are set, and not those of the client', async () => {
    const headers: Headers = [
      ['x-key', 'of the client'],
      ['Cookie', 'a=b'],
    ];
    await sendRaw(gates.setting.port, { ...request, headers: [...headers, ...own] });
    expect(received('x-key', 'x-team', 'cookie')).toEqual({ 'x-key': [KEY], 'x-team': ['checkout'] });
  });

  it('tells that the client spoke TLS', async () => {
    const client = await RawConnection.openSecure(gates.secure.port, { ca: pair.cert });
    client.write(requestBytes({ ...request, headers: own }));
    await client.response();
    client.close();
    expect(received('host', ...FORWARDED)).toEqual({
      host: ['gate.localhost'],
      'x-forwarded-for': ['127.0.0.1'],
      'x-forwarded-proto': ['https'],
      'x-forwarded-host': ['gate.localhost'],
    });
  });
});

it("has the target's host where the client names none", async () => {
  await sendRaw(gates.preserving.port, 'GET /x HTTP/1.0\r\n\r\n');
  expect(target.received.at(-1)?.headers.host).toBe(`127.0.0.1:${target.port}`);
});

it('leaves recordings as they are', async () => {
  const record = async (settings: object) => {
    const recordings = temporaryFolder();
    const gate = await startGate({ target: target.url, record: 'all', recordings, ...settings });
    const body = JSON.stringify(GOOD_PROJECT);
    const headers = [JSON_TYPE, ['X-Forwarded-For', '192.0.2.1']] as const;
    expect((await sendRaw(gate.port, { method: 'PATCH', path: PROJECT_PATH, headers, body })).status).toBe(
      200,
    );
    await gate.gate.close();
    const file = readdirSync(recordings, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('PATCH.json'),
    );
    const { exchanges } = JSON.parse(readFileSync(join(recordings, file as string), 'utf8'));
    return exchanges[0].request;
  };
  expect(await record({ preserveHost: true, forwardedHeaders: true })).toEqual(await record({}));
});

it('keeps and shows nothing of a header that comes from the environment', async () => {
  const echo = await startTarget((req, res) =>
    res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ you: req.headers['x-key'] })),
  );
  const recordings = temporaryFolder();
  const settings = {
    target: echo.url,
    record: 'all' as const,
    recordings,
    setHeader: ['X-Key=env:TARGET_KEY'],
  };
  const { port, gate } = await startGate(settings, 'proxy', { TARGET_KEY: KEY });
  const { body } = await sendRaw(port, { path: '/echo' });
  expect(body.toString()).toBe(JSON.stringify({ you: KEY }));
  expect(JSON.stringify([...gate.exchanges()])).not.toContain(KEY);
  await gate.close();
  const files = readdirSync(recordings, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.json'),
  );
  expect(files).toHaveLength(1);
  const kept = readFileSync(join(recordings, files[0] as string), 'utf8');
  expect(kept).toContain('"you": "[redacted]"');
  expect(kept).not.toContain(KEY);
});
