/** There is one target, fixed at the start: nothing that a client or the target says leads the gate elsewhere. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BAD_PROJECT, GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { RawConnection, sendRaw, valuesOf } from '../support/raw.ts';
import { type RawTarget, startRawTarget, startTarget, type Target } from '../support/target.ts';

let target: Target;
/** Where nobody should ever come. */
let evil: RawTarget;
let gates: InProcess[];
let redirect: { status: number; location: string } | undefined;
beforeAll(async () => {
  target = await startTarget((_, res) => {
    if (redirect) res.writeHead(redirect.status, { location: redirect.location }).end('moved');
    else res.end('answered');
  });
  evil = await startRawTarget((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'));
  gates = [await startGate({ target: target.url })];
});
afterEach(() => {
  expect(evil.sockets).toEqual([]);
  target.received.length = 0;
  redirect = undefined;
});

const elsewhere = () => `127.0.0.1:${evil.port}`;

/** To each of the gates. */
async function send(method: string, url: string, host: string, body?: unknown, headers = '') {
  const text = body === undefined ? '' : JSON.stringify(body);
  const length = body === undefined ? '' : `Content-Length: ${text.length}\r\n`;
  const bytes = `${method} ${url} HTTP/1.1\r\nHost: ${host}\r\n${headers}${length}\r\n${text}`;
  return Promise.all(gates.map(({ port }) => sendRaw(port, bytes)));
}

async function statuses(...request: Parameters<typeof send>): Promise<number[]> {
  return (await send(...request)).map(({ status }) => status);
}

describe('a request for another host', () => {
  it.each(['http://', 'https://', 'HTTP://user:pass@', 'ftp://'])(
    'in absolute form (%s) is answered by the target, when it is no operation',
    async (scheme) => {
      expect(await statuses('GET', `${scheme}${elsewhere()}/a?b=1`, elsewhere())).toEqual([200]);
      expect(target.received.map(({ url }) => url)).toEqual(['/a?b=1']);
    },
  );

  it('in absolute form is judged and never sent there', async () => {
    const url = `http://${elsewhere()}${PROJECT_PATH}`;
    expect(await statuses('PATCH', url, elsewhere(), BAD_PROJECT)).not.toContain(200);
    expect(target.received).toEqual([]);
    for (const { status } of await send('PATCH', url, elsewhere(), GOOD_PROJECT))
      expect([200, 400]).toContain(status);
    for (const { url: asked } of target.received) expect(asked).toBe(PROJECT_PATH);
  });

  it('by its Host is answered by the target', async () => {
    expect(await statuses('GET', '/a', elsewhere())).toEqual([200]);
    expect(await statuses('PATCH', PROJECT_PATH, elsewhere(), GOOD_PROJECT)).toEqual([200]);
    expect(await statuses('PATCH', PROJECT_PATH, elsewhere(), BAD_PROJECT)).toEqual([422]);
    expect(target.received).toHaveLength(2);
  });

  it.each(['//ELSEWHERE/a', '/\\ELSEWHERE/a', '/@ELSEWHERE/a', '/http://ELSEWHERE/a'])(
    'by a path like %s is answered by the target',
    async (path) => {
      const url = path.replace('ELSEWHERE', elsewhere());
      expect(await statuses('GET', url, 'localhost')).toEqual([200]);
      expect(target.received.map((request) => request.url)).toEqual([url]);
    },
  );

  it('by headers that some proxies follow is answered by the target', async () => {
    const headers = ['X-Forwarded-Host', 'X-Host', 'X-Forwarded-Server', 'Forwarded: host'];
    for (const name of headers)
      expect(
        await statuses(
          'GET',
          '/a',
          'localhost',
          undefined,
          `${name}${name.includes(':') ? '=' : ': '}${elsewhere()}\r\n`,
        ),
      ).toEqual([200]);
    expect(target.received).toHaveLength(headers.length);
  });

  it('by a handshake in absolute form goes to the target', async () => {
    const headers =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    await send('GET', `http://${elsewhere()}/socket`, elsewhere(), undefined, headers);
    expect(target.received.map(({ url }) => url)).toEqual(['/socket']);
  });
});

describe('CONNECT', () => {
  it.each(['HTTP/1.1', 'HTTP/1.0'])('is refused with a reason (%s)', async (version) => {
    const client = await RawConnection.open((gates[0] as InProcess).port);
    client.write(`CONNECT ${elsewhere()} ${version}\r\nHost: ${elsewhere()}\r\n\r\n`);
    const response = await client.response();
    expect(response.status).toBe(403);
    expect(valuesOf(response, 'content-type')).toEqual(['application/problem+json']);
    expect(JSON.parse(response.body.toString())).toMatchObject({
      type: 'urn:patchgate:problem:not-allowed',
      hint: expect.stringContaining('base URL'),
    });
    await client.closed();
    client.close();
  });

  it('opens no way to the target either, whatever is sent after it, and waits its turn', async () => {
    const client = await RawConnection.open((gates[0] as InProcess).port);
    const patch = `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`;
    client.write(
      `GET /first HTTP/1.1\r\nHost: localhost\r\n\r\nCONNECT 127.0.0.1:${target.port} HTTP/1.1\r\nHost: localhost\r\n\r\n${patch}`,
    );
    expect((await client.response()).body.toString()).toBe('answered');
    expect((await client.response()).status).toBe(403);
    await client.closed();
    expect(client.rest.toString()).toBe('');
    client.close();
    expect(target.received.map(({ url }) => url)).toEqual(['/first']);
  });
});

describe('a redirect of the target', () => {
  it.each([301, 302, 303, 307, 308])('elsewhere (%i) is passed on and not followed', async (status) => {
    redirect = { status, location: `http://${elsewhere()}${PROJECT_PATH}` };
    const answers = [
      ...(await send('GET', '/a', 'gate.localhost')),
      ...(await send('PATCH', PROJECT_PATH, 'gate.localhost', GOOD_PROJECT)),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body.toString()]).toEqual([status, 'moved']);
      expect(valuesOf(answer, 'location')).toEqual([redirect.location]);
    }
    expect(target.received).toHaveLength(2);
  });

  it('to itself is not followed either', async () => {
    redirect = { status: 307, location: `${target.url}/b` };
    const [answer] = await send('PATCH', PROJECT_PATH, 'gate.localhost', GOOD_PROJECT);
    expect(valuesOf(answer as never, 'location')).toEqual(['http://gate.localhost/b']);
    expect(target.received.map(({ url }) => url)).toEqual([PROJECT_PATH]);
  });
});
