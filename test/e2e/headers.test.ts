import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { BAD_PROJECT, GOOD_PROJECT, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startGate } from '../support/in-process.ts';
import { RawConnection, type RawRequest, requestBytes, sendRaw, valuesOf } from '../support/raw.ts';
import { exchangeFilesBelow } from '../support/recordings.ts';
import { type Received, startTarget, type Target } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const GZIPPED = gzipSync('{"compressed":true}');

let target: Target;
let gate: Running;
beforeAll(async () => {
  target = await startTarget((req, res) => {
    if (req.url?.endsWith('/gzip')) {
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(GZIPPED);
    } else if (req.url?.endsWith('/moved')) {
      res
        .writeHead(301, { location: `${target.url}/elsewhere?a=1#b`, 'content-location': '/relative' })
        .end();
    } else if (req.url?.endsWith('/latin')) {
      res.writeHead(200, ['X-Latin', 'caf\u00e9', 'X-Long', 'x'.repeat(40_000)]).end('streamed');
    } else if (req.url?.endsWith('/away')) {
      res.writeHead(302, { location: 'https://login.example/?next=1' }).end();
    } else {
      const headers = [
        ...['Set-Cookie', 'a=1; Path=/', 'X-Mixed-CASE', 'kept', 'set-cookie', 'b=2', 'ETag', 'W/"1"'],
        ...['Connection', 'keep-alive, X-Only-Here', 'X-Only-Here', 'hop', 'Keep-Alive', 'timeout=7'],
        ...['Proxy-Authenticate', 'Basic', 'Content-Length', '4'],
      ];
      res.writeHead(207, 'Mixed Bag', headers).end('body');
    }
  });
  gate = await startBinary(['proxy', target.url]);
});

function lastReceived(): Received {
  return target.received.at(-1) as Received;
}

/** Name and value of the headers that the target got, as they came, without those that the gate makes itself. */
function passedOn(): string[] {
  const { rawHeaders } = lastReceived();
  const lines: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!/^(?:host|connection|content-length)$/i.test(rawHeaders[i] as string))
      lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  return lines;
}

const SENT = [
  ['X-Mixed-CASE', 'kept As Is'],
  ['x-twice', 'one'],
  ['X-Other', 'between'],
  ['x-twice', 'two'],
  ['Authorization', 'Bearer secret'],
  ['X-Latin', 'caf\u00e9'],
  ['X-Forwarded-For', '192.0.2.1'],
  // JavaScript has a meaning of its own for these.
  ...['toString', 'constructor', '__proto__', '__defineGetter__'].map((name) => [name, 'odd'] as const),
] as const;
const PASSED = [...SENT.map(([name, value]) => `${name}: ${value}`)].sort();

const NOT_SENT_ON = [
  ['Connection', 'keep-alive, X-Named'],
  ['X-Named', 'hop'],
  ['Keep-Alive', 'timeout=9'],
  ['Proxy-Connection', 'keep-alive'],
  ['TE', 'trailers'],
  ['Trailer', 'X-Sum'],
  ['Patchgate-Findings', '[]'],
  ['patchgate-anything', 'x'],
] as const;

const REQUESTS: [string, RawRequest][] = [
  ['a judged request', { method: 'PATCH', path: PROJECT_PATH, body: JSON.stringify(GOOD_PROJECT) }],
  ['one with a body that is not judged', { method: 'POST', path: '/api/v2/other', body: '{}' }],
  ['one without a body', { method: 'GET', path: '/api/v2/other' }],
];

it.each(['GET', 'PATCH'])(
  'the bytes of a long head stay, before a body without a length: %s',
  async (method) => {
    const path = '/api/latin';
    const answer = await sendRaw(gate.port, { method, path, headers: [JSON_TYPE], body: '{}' });
    expect(answer.body.toString()).toBe('streamed');
    expect([valuesOf(answer, 'x-latin'), valuesOf(answer, 'x-long')[0]?.length]).toEqual([
      ['caf\u00e9'],
      40_000,
    ]);
  },
);

describe.each(REQUESTS)('%s', (_, request) => {
  const type = request.body === undefined ? [] : [JSON_TYPE];
  const withType = [...PASSED, ...type.map(([name, value]) => `${name}: ${value}`)].sort();

  it('has its headers passed on with their letter case, repetitions and bytes, and no others', async () => {
    await sendRaw(gate.port, { ...request, headers: [...SENT, ...type] });
    // A repeated name stays in order; Node's client puts its lines together.
    expect(passedOn().sort()).toEqual(withType);
    expect(passedOn().filter((line) => line.startsWith('x-twice'))).toEqual(['x-twice: one', 'x-twice: two']);
  });

  it('keeps what belongs to the connection, and what is named Patchgate-, to itself', async () => {
    await sendRaw(gate.port, { ...request, headers: [...NOT_SENT_ON, ...SENT, ...type] });
    expect(passedOn().sort()).toEqual(withType);
    expect(lastReceived().headers.connection).not.toContain('X-Named');
  });

  it("gets the target's host", async () => {
    await sendRaw(gate.port, { ...request, headers: type });
    expect(lastReceived().headers.host).toBe(`127.0.0.1:${target.port}`);
    expect(lastReceived().rawHeaders.filter((name) => name.toLowerCase() === 'host')).toHaveLength(1);
  });

  it('waits for 100 Continue in vain at no time, and the target is not asked for it', async () => {
    const connection = await RawConnection.open(gate.port);
    const { body } = request;
    connection.write(requestBytes({ ...request, headers: [...type, ['Expect', '100-continue']] }));
    const response = await connection.response();
    connection.close();
    expect(response.status).toBe(207);
    expect(response.interim).toEqual([100]);
    expect(lastReceived().headers.expect).toBeUndefined();
    expect(lastReceived().body.toString()).toBe(body ?? '');
  });

  it('gets the response as the target gave it, but for what belongs to the connection', async () => {
    const response = await sendRaw(gate.port, { ...request, headers: type });
    expect([response.status, response.reason]).toEqual([207, 'Mixed Bag']);
    expect(
      response.headers.filter(([name]) => !/^(?:date|connection|keep-alive|patchgate-findings)$/i.test(name)),
    ).toEqual([
      ['Set-Cookie', 'a=1; Path=/'],
      ['X-Mixed-CASE', 'kept'],
      ['set-cookie', 'b=2'],
      ['ETag', 'W/"1"'],
      ['Proxy-Authenticate', 'Basic'],
      ['Content-Length', '4'],
    ]);
    expect(valuesOf(response, 'keep-alive')).not.toContain('timeout=7');
    expect(response.body.toString()).toBe('body');
  });
});

describe('a response', () => {
  it('that is compressed stays so, byte for byte', async () => {
    const response = await sendRaw(gate.port, { path: '/gzip', headers: [['Accept-Encoding', 'gzip']] });
    expect(valuesOf(response, 'content-encoding')).toEqual(['gzip']);
    expect(response.body.equals(GZIPPED)).toBe(true);
  });

  it('that leads to the target leads to the gate instead', async () => {
    const response = await sendRaw(gate.port, { path: '/moved' });
    expect(valuesOf(response, 'location')).toEqual(['http://gate.localhost/elsewhere?a=1#b']);
    expect(valuesOf(response, 'content-location')).toEqual(['/relative']);
  });
});

describe('the request line', () => {
  const asked = async (path: string) => {
    await sendRaw(gate.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    return lastReceived().url;
  };

  it.each(['/a//b', '/a/../b', '/a%2Fb?x=%zz&y', '/?', '/a?b?c', '//double.example/x'])(
    '%s is asked for as sent',
    async (path) => {
      expect(await asked(path)).toBe(path);
    },
  );
});

describe("a path in the target's URL", () => {
  let prefixed: Running;
  beforeAll(async () => {
    prefixed = await startBinary(['proxy', `${target.url}/api/v2/`]);
  });

  it.each([
    ['/accounts/current/x', '/api/v2/accounts/current/x'],
    ['/api/v2/accounts/current/x', '/api/v2/accounts/current/x'],
    ['/api/v2', '/api/v2'],
    ['/api/v22/x', '/api/v2/api/v22/x'],
    ['/?a=1', '/api/v2/?a=1'],
  ])('goes before %s where it is not there already', async (path, expected) => {
    await sendRaw(prefixed.port, { path });
    expect(lastReceived().url).toBe(expected);
  });

  it('goes before a judged request, too', async () => {
    const path = '/accounts/current/projects/43';
    const body = JSON.stringify(GOOD_PROJECT);
    const response = await sendRaw(prefixed.port, { method: 'PATCH', path, headers: [JSON_TYPE], body });
    expect(response.status).toBe(207);
    expect(lastReceived().url).toBe(`/api/v2${path}`);
  });
});

const KEY = 'k3y-of-staging-0815';

describe('headers that are set', () => {
  const WAYS: [string, RawRequest][] = [
    ...REQUESTS,
    [
      'a WebSocket',
      {
        path: '/socket',
        headers: [
          ['Connection', 'Upgrade'],
          ['Upgrade', 'websocket'],
        ],
      },
    ],
  ];

  it.each(WAYS)('take the place of those of the client: %s', async (_, request) => {
    const setHeader = ['X-Key=env:TARGET_KEY', 'X-Team=checkout', 'Cookie='];
    const { port } = await startGate({ target: target.url, setHeader }, 'proxy', { TARGET_KEY: KEY });
    const theirs = [
      ['x-key', 'of the client'],
      ['Cookie', 'a=b'],
    ] as const;
    await sendRaw(port, { ...request, headers: [...theirs, ...(request.headers ?? [])] });
    const names = ['x-key', 'x-team', 'cookie', 'x-forwarded-for', 'x-forwarded-host'];
    const found = passedOn().filter((line) => names.includes(line.split(':', 1)[0]?.toLowerCase() ?? ''));
    expect(found.map((line) => line.toLowerCase()).sort()).toEqual([`x-key: ${KEY}`, 'x-team: checkout']);
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
    expect(JSON.stringify([...gate.exchanges.list()])).not.toContain(KEY);
    await gate.close();
    const [kept, ...others] = Object.values(exchangeFilesBelow(recordings));
    expect(others).toEqual([]);
    expect(kept).toContain('"you": "[redacted]"');
    expect(kept).not.toContain(KEY);
  });
});

it('a request of 1,500 headers is forwarded whole', async () => {
  const target = await startTarget();
  const { port } = await startGate({ target: target.url });
  const headers = Array.from({ length: 1500 }, (_, i) => [`A${i}`, '1'] as const);
  const body = requestBytes({ method: 'PATCH', path: PROJECT_PATH, body: JSON.stringify(BAD_PROJECT) });
  expect((await sendRaw(port, { path: '/x', headers, body })).status).toBe(200);
  expect(target.received.map(({ body }) => body.length)).toEqual([body.length]);
});
