/** Ways to get a request to the target that nobody has judged. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Running, runBinary, startBinary } from '../support/binary.ts';
import { BAD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { sendRaw } from '../support/raw.ts';
import { startTarget, type Target } from '../support/target.ts';

const BAD = JSON.stringify(BAD_PROJECT);

let target: Target;
let gate: Running;
beforeAll(async () => {
  target = await startTarget((_, res) => res.end('answered'));
  gate = await startBinary(['proxy', target.url]);
});
beforeEach(() => {
  target.received.length = 0;
});

const methods = () => target.received.map(({ method }) => method);
const port = () => Number(new URL(gate.url).port);

describe('a PATCH within the body of another request', () => {
  const inner = `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BAD.length}\r\n\r\n${BAD}`;

  it.each([
    ['GET', 'Connection: content-length'],
    ['DELETE', 'Connection: close, Content-Length'],
    ['OPTIONS', 'Connection: content-length'],
    ['GET', 'Connection: Upgrade, content-length\r\nUpgrade: websocket'],
    ['GET', 'Connection: keep-alive, transfer-encoding'],
  ])('stays a body where %s says %s', async (method, connection) => {
    const head = `${method} /x HTTP/1.1\r\nHost: localhost\r\n${connection}\r\nContent-Length: ${inner.length}\r\n\r\n`;
    await sendRaw(port(), head + inner);
    expect(methods()).toEqual([method]);
    expect(target.received[0]?.body.toString()).toBe(inner);
  });
});

it('forwards the headers that a body was judged by, whatever Connection names', async () => {
  const body = JSON.stringify({
    name: 'x',
    languages: ['GO'],
    environments: [{ id: 1, name: 'P', isEnabled: true }],
  });
  const head = `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: content-type\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  await sendRaw(port(), head + body);
  expect(target.received[0]?.headers['content-type']).toBe('application/json');
});

describe('a POST that a server may take for a PATCH', () => {
  it.each([
    ['application/x-www-form-urlencoded', '', '_method=PATCH&name=1'],
    ['multipart/form-data; boundary=b', '', '--b--'],
    ['application/json', '?%20_method=PATCH', BAD],
    ['application/json', '?.method=patch%00', BAD],
    ['application/json', '?[method=PATCH', BAD],
    ['application/json', '?a=1;_method=PATCH', BAD],
  ])('is judged: %s %s', async (type, query, body) => {
    const answer = await fetch(gate.url + PROJECT_PATH + query, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(answer.status).toBeGreaterThan(399);
    expect(target.received).toEqual([]);
  });

  it('is not, where its path is no record of the contract', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(`${gate.url}/api/v2/accounts/current/projects`, {
      method: 'POST',
      headers,
      body: 'name=x',
    });
    expect(await answer.text()).toBe('answered');
  });
});

it("does not start with a target whose path hides a part of the operations'", async () => {
  const { code, stderr } = await runBinary(['proxy', `${target.url}/api/v2/accounts/current`]);
  expect(code).toBe(2);
  expect(stderr).toContain("end the target's URL before /accounts");
});
