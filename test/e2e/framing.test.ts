/** Where a request begins and ends is read in one way by the gate and by whoever comes behind it, or it is refused. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { BAD_PROJECT, GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { RawConnection, valuesOf } from '../support/raw.ts';
import { startTarget, type Target } from '../support/target.ts';

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

const patchOf = (project: unknown) => {
  const body = JSON.stringify(project);
  return `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
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
    expect(framing(wire)?.map((line) => line.trim())).toEqual(['transfer-encoding: chunked']);
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
