/** Where a request begins and ends is read in one way by the gate and by whoever comes behind it, or it is refused. */
import type { Socket } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { BAD_PROJECT, GOOD_PROJECT, PROJECT_PATH, REQUESTS } from '../support/e2e-bodies.ts';
import { RawConnection, type RawRequest, requestBytes, sendRaw, valuesOf } from '../support/raw.ts';
import { startRawTarget, startTarget, type Target } from '../support/target.ts';

let target: Target;
let gate: Running;
/** All bytes that the target was sent, by connection. */
const wires: string[] = [];
beforeAll(async () => {
  target = await startTarget((_, res) => res.end('answered'));
  target.server.on('connection', (socket) => {
    const at = wires.push('') - 1;
    socket.on('data', (bytes) => {
      wires[at] += bytes.toString('latin1');
    });
  });
  gate = await startBinary(['proxy', target.url]);
});
beforeEach(() => {
  target.received.length = 0;
});

const patchOf = (project: unknown, headers = '') => {
  const body = JSON.stringify(project);
  return `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};
/** What must never reach the target: the end of many of the requests here. */
const HIDDEN = patchOf(BAD_PROJECT);
const CHUNKED = `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`;
/** Ends a connection in good order. */
const GET_LAST = 'GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
const post = (headers: string, body = '') =>
  `POST /x HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n${body}`;
const chunks = (body: string) => post('Transfer-Encoding: chunked', body);
const get = (line: string, headers = 'Host: localhost\r\n') => `${line}\r\n${headers}\r\n${HIDDEN}`;

/** Sends it all at once; the answers, until the gate closes the connection. */
async function answersTo(text: string) {
  const client = await RawConnection.open(gate.port);
  client.write(text);
  const answers = [];
  do answers.push(await client.response());
  while (valuesOf(answers.at(-1) as (typeof answers)[0], 'connection')[0] !== 'close');
  await client.closed();
  expect(client.rest.toString()).toBe('');
  client.close();
  return answers;
}

async function expectRefused(text: string, status = 400) {
  const answers = await answersTo(text);
  expect(answers.map((answer) => answer.status)).toEqual([status]);
  const [answer] = answers;
  expect(answer && valuesOf(answer, 'content-type')).toEqual(['application/problem+json']);
  expect(JSON.parse(String(answer?.body))).toMatchObject({ status, detail: expect.stringMatching(/.{20}/) });
  expect(target.received).toEqual([]);
}

it('a body that is too long is answered, also to a client that reads when all is sent, and wants to close', async () => {
  const client = await RawConnection.open(gate.port);
  const body = 'x'.repeat(8_000_000);
  client.socket.pause();
  const head = { method: 'PATCH', path: PROJECT_PATH, headers: [['Connection', 'close']] as const };
  const bytes = requestBytes({ ...head, body });
  await new Promise((resolve) => client.socket.write(bytes, resolve));
  client.socket.resume();
  expect((await client.response()).status).toBe(413);
  client.close();
});

describe('a length that could be read in two ways is refused:', () => {
  it.each([
    ['beside chunks', `Content-Length: ${CHUNKED.length}\r\nTransfer-Encoding: chunked`],
    ['behind chunks', 'Transfer-Encoding: chunked\r\nContent-Length: 5'],
    ['beside an empty coding', 'Transfer-Encoding:\r\nContent-Length: 5'],
    ['beside identity', 'Transfer-Encoding: identity\r\nContent-Length: 5'],
    ['twice the same', 'Content-Length: 5\r\nContent-Length: 5'],
    ['two', 'Content-Length: 5\r\nContent-Length: 6'],
    ['a list', 'Content-Length: 5, 5'],
    ['a list of two', 'Content-Length: 0, 5'],
    ['with a plus', 'Content-Length: +5'],
    ['negative', 'Content-Length: -5'],
    ['hexadecimal', 'Content-Length: 0x5'],
    ['octal, for some', 'Content-Length: 005'],
    ['with a fraction', 'Content-Length: 5.0'],
    ['with a space', 'Content-Length: 1 0'],
    ['none', 'Content-Length:'],
    ['empty', 'Content-Length: '],
    ['past 53 bits', 'Content-Length: 9007199254740993'],
    ['past 64 bits', 'Content-Length: 18446744073709551621'],
    ['folded', 'Content-Length:\r\n 5'],
    ['with a space before the colon', 'Content-Length : 5'],
  ])('%s', async (_, headers) => expectRefused(post(headers, `hello${HIDDEN}`)));
});

describe('a transfer coding other than chunked is refused:', () => {
  it.each([
    ...[
      'identity',
      'chunked, identity',
      'identity, chunked',
      'gzip',
      'gzip, chunked',
      'xchunked',
      '"chunked"',
    ],
    ...['chunked, chunked', ', chunked', 'chunked;a=b', '\x0bchunked', '', 'chunked\t,', '\r\n chunked'],
    ...['chunked\r\nTransfer-Encoding: chunked', 'chunked\r\nTransfer-Encoding: identity'],
    ...['gzip\r\nTransfer-Encoding: chunked', 'chunked\r\nTransfer-Encoding:'],
  ])('%j', async (coding) => expectRefused(post(`Transfer-Encoding: ${coding}`, CHUNKED)));
});

describe('lines and headers that readers split differently are refused:', () => {
  it.each([
    ['a folded header', 'X-A: 1\r\n 2\r\n'],
    ['a folded first header', ' X-A: 1\r\n'],
    ['LF alone', 'X-A: 1\nX-B: 2\r\n'],
    ['LF alone at the end', '\n'],
    ['CR alone', 'X-A: 1\rTransfer-Encoding: chunked\r\n'],
    ['CR CR LF', 'X-A: 1\r\r\n'],
    ['a space in a name', 'X A: 1\r\n'],
    ['a space before the colon', 'X-A : 1\r\n'],
    ['a tab before the colon', 'X-A\t: 1\r\n'],
    ['other characters in a name', 'X(A): 1\r\n'],
    ['a name beyond ASCII', 'X\xe9: 1\r\n'],
    ['no name', ': 1\r\n'],
    ['no colon', 'X-A\r\n'],
    ['NUL in a name', 'X\0A: 1\r\n'],
    ['NUL in a value', 'X-A: a\0b\r\n'],
    ['a control character', 'X-A: a\x01b\r\n'],
    ['a second Host', 'Host: y\r\n'],
    ['the same Host again', 'Host: localhost\r\n'],
  ])('%s', async (_, header) => expectRefused(get('GET /x HTTP/1.1', `Host: localhost\r\n${header}`)));

  it('LF alone everywhere', () => expectRefused('GET /x HTTP/1.1\nHost: localhost\n\n'));
  it('no Host', () => expectRefused(get('GET /x HTTP/1.1', '')));
  it.each(['a b', 'user@x', 'x/y'])('Host %s', (host) =>
    expectRefused(get('GET /x HTTP/1.1', `Host: ${host}\r\n`)),
  );
});

describe('a request line that no honest client sends is refused:', () => {
  it.each([
    ...[
      'GET /x',
      'GET /x HTTP/0.9',
      'GET /x HTTP/1.2',
      'GET /x HTTP/2.0',
      'GET /x HTTP/1.1x',
      'GET /x http/1.1',
    ],
    ...['PRI * HTTP/2.0', 'GET\t/x\tHTTP/1.1', ' GET /x HTTP/1.1', 'GET x HTTP/1.1', 'GET  HTTP/1.1'],
    ...['GET /x y HTTP/1.1', 'GET /x\ty HTTP/1.1', 'GET /x\x01y HTTP/1.1', 'GET /x\0y HTTP/1.1'],
    ...['GET /caf\xc3\xa9 HTTP/1.1', 'GET /x\x7f HTTP/1.1', 'GET x:80 HTTP/1.1', '\x16\x03\x01\x02\x00\x01'],
    ...['patch', 'Patch', 'PATCH\t', 'PATCHX', '\tPATCH'].map(
      (method) => `${method} ${PROJECT_PATH} HTTP/1.1`,
    ),
    ...[`PATCH ${PROJECT_PATH}\xa0 HTTP/1.1`, `PATCH ${PROJECT_PATH} RTSP/1.0`, `PATCH ${PROJECT_PATH}`],
  ])('%j', (line) => expectRefused(get(line)));

  it('a tunnel', () => expectRefused(get('CONNECT x:80 HTTP/1.1'), 403));
  it('a head of 17 kB', () => expectRefused(get('GET /x HTTP/1.1', `X-A: ${'a'.repeat(17_000)}\r\n`), 431));
  it('a target of 17 kB', () => expectRefused(get(`GET /${'a'.repeat(17_000)} HTTP/1.1`), 431));
  it('HTTP/1.0 with chunks', () =>
    expectRefused(
      `POST /x HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED}`,
    ));
});

describe('chunks that readers could split differently are refused:', () => {
  it.each([
    ...[
      'fffffffffffffffff\r\n',
      '-1\r\n',
      '+5\r\nhello',
      '0x5\r\nhello',
      ' 5\r\nhello',
      '5 \r\nhello',
      '\r\nhello',
    ],
    ...['5\nhello', '5;a\nhello', '5;\nx\r\nhello', '5;a="\r\n"\r\nhello', '5;a\rb\r\nhello'],
    ...['5\r\nhello', '5\r\nhelloXX', '5\r\nhello\n'].map((chunk) => `${chunk}0`),
    ...['5\r\nhello\r\n0\n\n', '5\r\nhello\r\n0\r\n\n', '5\r\nhello\r\n0\r\nX-T: 1\r\n 2\r\n\r\n'],
    ...[
      '5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n',
      '5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n',
    ],
    `5;${'a'.repeat(20_000)}\r\nhello`,
  ])('%j', (body) => expectRefused(chunks(`${body}\r\n0\r\n\r\n${HIDDEN}`)));

  it('and trailers of 70 kB', () =>
    expectRefused(chunks(`5\r\nhello\r\n0\r\nX-T: ${'a'.repeat(70_000)}\r\n\r\n${HIDDEN}`), 431));
});

describe('what is let through reaches the target in one plain form:', () => {
  let count = 0;
  /** Sends a request for `/x`, with others behind it: its body as received, and all bytes of it in one text. */
  const sent = async (text: string) => {
    const path = `/plain-${++count}`;
    const answers = await answersTo(text.replace('/x', path) + HIDDEN + GET_LAST);
    expect(answers.map(({ status }) => status)).toEqual([200, 422, 200]);
    expect(target.received.map(({ url }) => url).sort()).toEqual(['/last', path]);
    const wire = wires.find((bytes) => bytes.includes(path)) as string;
    return {
      body: target.received.find(({ url }) => url === path)?.body.toString(),
      wire: wire.slice(wire.lastIndexOf('\n', wire.indexOf(path)) + 1).replace(path, '/x'),
    };
  };
  const framing = (wire: string) => wire.match(/^(?:content-length|transfer-encoding).*$/gim);

  it.each(['Content-Length: 5 ', 'content-length:5', 'CONTENT-LENGTH:\t5'])('%j', async (header) => {
    const { body, wire } = await sent(post(header, 'hello'));
    expect(body).toBe('hello');
    expect(framing(wire)?.map((line) => line.toLowerCase().trim())).toEqual(['content-length: 5']);
  });

  it.each(['Transfer-Encoding:\tChunked', 'transfer-encoding:chunked '])('%j', async (header) => {
    const chunked = '005;a=b\r\nhello\r\n0\r\nX-HTTP-Method-Override: PATCH\r\n\r\n';
    const { body, wire } = await sent(post(header, chunked));
    expect(body).toBe('hello');
    expect(framing(wire)?.map((line) => line.trim())).toHaveLength(1);
    expect(wire).toMatch(/^(?:content-length: 5|transfer-encoding: chunked)\r$/im);
    expect(wire).not.toMatch(/;a=b|override/i);
  });

  it.each(['GET  /x HTTP/1.1', 'GET /x  HTTP/1.1', '\r\n\r\nGET /x HTTP/1.1'])('%j', async (line) => {
    const { wire } = await sent(`${line}\r\nHost: localhost\r\n\r\n`);
    expect(wire).toMatch(/^GET \/x HTTP\/1\.1\r\n/);
  });

  it('headers that several Connections name, in any letter case, are gone', async () => {
    const named = 'Connection: X-A\r\ncOnNeCtIoN: x-b , X-C\r\nX-a: 1\r\nX-B: 2\r\nx-c: 3\r\nX-D: 4\r\n';
    const fixed = 'Keep-Alive: 5\r\nProxy-Connection: keep-alive\r\nTE: trailers\r\n';
    const { wire } = await sent(`GET /x HTTP/1.1\r\nHost: localhost\r\n${named}${fixed}\r\n`);
    const [head = ''] = wire.split('\r\n\r\n');
    expect(
      head
        .match(/^[\w-]+(?=:)/gm)
        ?.map((name) => name.toLowerCase())
        .sort(),
    ).toEqual([...['connection', 'host', 'x-d']]);
  });

  it('HTTP/1.0', async () => {
    const [answer] = await answersTo('GET /old HTTP/1.0\r\n\r\n');
    expect(answer?.status).toBe(200);
    expect(wires.join()).toContain('GET /old HTTP/1.1\r\n');
  });
});

it.each(['#x', '?#', '#/x'])('a PATCH with a fragment is judged, or refused: %s', async (fragment) => {
  const [answer] = await answersTo(HIDDEN.replace(PROJECT_PATH, PROJECT_PATH + fragment) + GET_LAST);
  expect([400, 422]).toContain(answer?.status);
  expect(target.received.map(({ url }) => url)).toEqual(['/last']);
});

describe('behind a request that is answered, what is none is answered too:', () => {
  it.each(['GARBAGE', 'GET /y HTTP/1.1\r\nX Y\r\n\r\n'])('%j', async (rest) => {
    const answers = await answersTo(
      `GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n${patchOf(GOOD_PROJECT)}${rest}`,
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(target.received).toHaveLength(2);
  });

  it('a body goes on to be one where its Expect is refused', async () => {
    const head = `POST /x HTTP/1.1\r\nHost: localhost\r\nExpect: 200-ok\r\nContent-Length: ${HIDDEN.length}\r\n\r\n`;
    expect((await answersTo(head + HIDDEN + GET_LAST)).map(({ status }) => status)).toEqual([417, 200]);
    expect(target.received.map(({ url }) => url)).toEqual(['/last']);
  });
});

it.each([
  ['GET', 'Connection: content-length'],
  ['DELETE', 'Connection: close, Content-Length'],
  ['GET', 'Connection: Upgrade, content-length\r\nUpgrade: websocket'],
  ['GET', 'Connection: keep-alive, transfer-encoding'],
])('a PATCH within the body of another request stays one where %s says %s', async (method, connection) => {
  const head = `${method} /x HTTP/1.1\r\nHost: localhost\r\n${connection}\r\nContent-Length: ${HIDDEN.length}\r\n\r\n`;
  await sendRaw(gate.port, head + HIDDEN);
  expect(target.received.map((one) => [one.method, one.body.toString()])).toEqual([[method, HIDDEN]]);
});

/** As Java's client asks for HTTP/2. */
const H2C =
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAA\r\n';

describe('a request that asks for an upgrade', () => {
  it.each([
    ['h2c', H2C],
    ['a WebSocket', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
    ['several things', 'Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n'],
    ['anything', 'Connection: upgrade\r\nUpgrade: x/1\r\n'],
  ])('to %s is judged', async (_, upgrade) => {
    const client = await RawConnection.open(gate.port);
    client.write(patchOf(BAD_PROJECT, upgrade));
    expect((await client.response()).status).toBe(422);
    expect(target.received).toEqual([]);
    client.write(patchOf(GOOD_PROJECT, upgrade));
    expect((await client.response()).status).toBe(200);
    expect(target.received[0]?.body.toString()).toBe(JSON.stringify(GOOD_PROJECT));
    expect(target.received[0]?.headers).not.toHaveProperty('upgrade');
    expect(target.received[0]?.headers).not.toHaveProperty('http2-settings');
    client.close();
  });

  it('may send its body a byte at a time, and in chunks', async () => {
    const client = await RawConnection.open(gate.port);
    client.socket.setNoDelay(true);
    const text = JSON.stringify(GOOD_PROJECT);
    client.write(
      `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\n${H2C}Transfer-Encoding: chunked\r\n\r\n`,
    );
    for (const byte of text) {
      client.write(`1\r\n${byte}\r\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.write('0\r\n\r\n');
    expect((await client.response()).status).toBe(200);
    expect(target.received[0]?.body.toString()).toBe(text);
    client.close();
  });

  it('may have others behind it on the same connection, sent without waiting', async () => {
    const client = await RawConnection.open(gate.port);
    const get = (path: string, upgrade = H2C) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n`;
    const first = [get('/1'), get('/2', ''), patchOf(BAD_PROJECT, H2C), get('/3')];
    client.write([...first, patchOf(GOOD_PROJECT), HIDDEN, patchOf(GOOD_PROJECT, H2C), get('/4')].join(''));
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await client.response()).status);
    expect(statuses).toEqual([200, 200, 422, 200, 200, 422, 200, 200]);
    expect(target.received.map(({ method, url }) => `${method} ${url}`).sort()).toEqual(
      ['GET /1', 'GET /2', 'GET /3', 'GET /4', `PATCH ${PROJECT_PATH}`, `PATCH ${PROJECT_PATH}`].sort(),
    );
    client.close();
  });
});

// Whatever a target puts behind or into an answer: nobody gets an answer that is somebody else's.

const FOREIGN = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nforeign';
const own = (headers: string, body = 'own') => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`;

let rawGate: Running;
/** What the target does with each piece that it gets. */
let onRequest: (socket: Socket) => void;
beforeAll(async () => {
  const raw = await startRawTarget((socket) =>
    socket.on('data', (bytes) => {
      if (/^[A-Z]+ \//.test(bytes.toString('latin1'))) onRequest(socket);
    }),
  );
  rawGate = await startBinary(['proxy', raw.url]);
});

describe.each<readonly [string, RawRequest]>(REQUESTS)('an answer to %s', (_, request) => {
  it.each([
    ['another answer', own('Content-Length: 3') + FOREIGN],
    ['what is none', `${own('Content-Length: 3')}GARBAGE`],
    ['more than its length', own('Content-Length: 3', `own${FOREIGN}`)],
    ['an answer behind its chunks', own('Transfer-Encoding: chunked', `3\r\nown\r\n0\r\n\r\n${FOREIGN}`)],
    ['another behind one without a body', `HTTP/1.1 204 None\r\n\r\n${FOREIGN}`],
    [
      'another behind one that must have no length',
      `HTTP/1.1 204 None\r\nContent-Length: 60\r\n\r\n${FOREIGN}`,
    ],
    ['another behind 304', `HTTP/1.1 304 Same\r\n\r\n${FOREIGN}`],
  ])('with %s leaves nothing for the next one', async (_name, bytes) => {
    onRequest = (socket) => socket.write(bytes);
    for (let i = 0; i < 3; i++) {
      const client = await RawConnection.open(rawGate.port);
      client.write(
        requestBytes({ ...request, headers: [...(request.headers ?? []), ['Connection', 'close']] }),
      );
      await client.closed();
      expect(client.rest.toString()).not.toContain('foreign');
      client.close();
    }
    onRequest = (socket) => socket.write(own('Content-Length: 3\r\nX-Next: 1'));
    expect(String((await sendRaw(rawGate.port, request)).body)).toBe('own');
  });

  it.each([
    ['two lengths', own('Content-Length: 3\r\nContent-Length: 4')],
    ['a length and chunks', own('Content-Length: 3\r\nTransfer-Encoding: chunked', '3\r\nown\r\n0\r\n\r\n')],
    ['a folded header', own('X-A: 1\r\n 2\r\nContent-Length: 3')],
    ['LF alone', own('X-A: 1\nX-B: 2\r\nContent-Length: 3')],
    ['CR alone', own('X-A: 1\rSet-Cookie: 2\r\nContent-Length: 3')],
    ['NUL', own('X-A: a\0b\r\nContent-Length: 3')],
    ['a space in a name', own('X A: 1\r\nContent-Length: 3')],
    ['another protocol, unasked', 'HTTP/1.1 101 Switch\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
  ])('with %s is a 502', async (_name, bytes) => {
    onRequest = (socket) => socket.write(bytes);
    const answer = await sendRaw(rawGate.port, request);
    expect(answer.status).toBe(502);
    expect(valuesOf(answer, 'content-type')).toEqual(['application/problem+json']);
  });
});

it.each(REQUESTS)('a whole answer to %s is handed on, whatever stands behind it', async (_, request) => {
  onRequest = (socket) => socket.write(`${own('Content-Length: 3')}GARBAGE`);
  const answer = await sendRaw(rawGate.port, request);
  expect([answer.status, String(answer.body), answer.isWhole]).toEqual([200, 'own', true]);
});

it('an answer without a body carries no length that a client could wait for', async () => {
  onRequest = (socket) => socket.write('HTTP/1.1 204 None\r\nContent-Length: 60\r\n\r\n');
  const answer = await sendRaw(rawGate.port, { path: '/x' });
  expect(answer.status).toBe(204);
  expect(valuesOf(answer, 'content-length')).toEqual([]);
});

it.each(REQUESTS)('what came on an idle connection is no answer to %s', async (_, request) => {
  let last: Socket | undefined;
  onRequest = (socket) => {
    // Else it would come with the next answer, and nobody could tell them apart.
    last = socket.setNoDelay(true);
    socket.write(own('Content-Length: 3'));
  };
  expect(String((await sendRaw(rawGate.port, request)).body)).toBe('own');
  await new Promise((resolve) => last?.write(FOREIGN, resolve));
  // The gate has seen it once it has answered something else.
  await sendRaw(rawGate.port, { path: '/__patchgate/health' });
  expect(String((await sendRaw(rawGate.port, request)).body)).toBe('own');
});
