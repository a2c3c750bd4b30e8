/** A client that can set nothing but a base URL names its session in front of every path. */
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { ServerKind } from '../../src/app/modes.ts';
import { exchange, PROJECT_PATH } from '../support/exchanges.ts';
import { type Settings, startGate, startRecorder, startReplay } from '../support/in-process.ts';
import { RawConnection } from '../support/raw.ts';
import { writeRecording } from '../support/recorded-folder.ts';
import { filesBelow } from '../support/recordings.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NAME = "a suite/1: it's there";
const PREFIX = `/__patchgate/session/${encodeURIComponent(NAME)}`;
const PROJECT = {
  name: 'Checkout',
  languages: ['GO'],
  environments: [{ id: 1, name: 'A', isEnabled: true }],
};

const patch = (url: string, body: unknown = PROJECT, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

it('the target never sees it, whether a request is judged or streams through', async () => {
  const target = await startTarget();
  const { url, gate } = await startGate({ target: target.url, guard: 'off' });
  expect((await patch(`${url}${PREFIX}${PROJECT_PATH}?x=1`)).status).toBe(200);
  expect((await fetch(`${url}${PREFIX}/any?x=%2F`)).status).toBe(200);
  expect((await fetch(url + PREFIX)).status).toBe(200);
  expect(target.received.map((request) => `${request.method} ${request.url}`)).toEqual([
    `PATCH ${PROJECT_PATH}?x=1`,
    'GET /any?x=%2F',
    'GET /',
  ]);
  expect(JSON.stringify(target.received.map(({ rawHeaders }) => rawHeaders))).not.toMatch(/patchgate/i);
  const shown = [...gate.exchanges({ session: NAME })];
  expect(shown.map(({ request }) => request.url)).toEqual(['/', '/any?x=%2F', `${PROJECT_PATH}?x=1`]);
});

it('a body is judged as it would be without it, in enforce and under the guard', async () => {
  const target = await startTarget();
  const { url } = await startGate({ target: target.url });
  const blocked = await patch(`${url}${PREFIX}${PROJECT_PATH}`, { name: 'x' });
  expect(blocked.status).toBe(422);
  expect(blocked.headers.get('patchgate-blocked')).toBe('invalid-request');
  const ambiguous = await patch(`${url}${PREFIX}${PROJECT_PATH.replace('projects', 'PROJECTS')}`);
  expect(ambiguous.status).toBe(400);
  expect(await ambiguous.json()).toMatchObject({ findings: [{ rule: 'request.ambiguous-path' }] });
  const emptied = await patch(`${url}${PREFIX}${PROJECT_PATH}`, { ...PROJECT, environments: [] });
  expect(emptied.status).toBe(409);
  expect(target.received).toEqual([]);
});

/** Each as its bytes go out: a client's own URL parser would mend most of them. */
it.each([
  `${PREFIX}/x/../..${PROJECT_PATH}`,
  `${PREFIX}/..%2f..${PROJECT_PATH}`,
  `${PREFIX}/%252e%252e${PROJECT_PATH}`,
  `${PREFIX}${PREFIX}${PROJECT_PATH}`,
  `${PREFIX}/${PROJECT_PATH}`,
  `${PREFIX}\\..${PROJECT_PATH}`,
  `/__patchgate/session/${PROJECT_PATH}`,
  `/__patchgate/session/%2e%2e${PROJECT_PATH}`,
  `${PREFIX}/__patchgate/reset`,
  `http://elsewhere.example${PREFIX}/../x${PROJECT_PATH}`,
])('what could lead past the judging is a 400: %s', async (path) => {
  const target = await startTarget();
  const { port, gate } = await startGate({ target: target.url, guard: 'off' });
  const connection = await RawConnection.open(port);
  const body = '{"name":"x"}';
  connection.write(
    `PATCH ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  const answer = await connection.response();
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body.toString())).toMatchObject({
    type: 'urn:patchgate:problem:malformed-request',
    hint: expect.any(String),
  });
  expect(target.received).toEqual([]);
  expect([...gate.exchanges()]).toHaveLength(1);
});

it('names the session of a request in absolute form, and no other target', async () => {
  const target = await startTarget();
  const { port } = await startGate({ target: target.url, guard: 'off' });
  const connection = await RawConnection.open(port);
  connection.write(
    `GET http://elsewhere.example${PREFIX}/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  );
  expect((await connection.response()).status).toBe(200);
  expect(target.received[0]).toMatchObject({ url: '/x', headers: { host: new URL(target.url).host } });
});

it('another session in the header is a 400, the same one is none', async () => {
  const target = await startTarget();
  const { url } = await startGate({ target: target.url });
  const ask = (name: string) => fetch(`${url}${PREFIX}/x`, { headers: { 'Patchgate-Session': name } });
  expect((await ask(NAME)).status).toBe(200);
  const refused = await ask('another');
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('name two sessions') });
  expect(target.received).toHaveLength(1);
});

it('is recorded without its prefix', async () => {
  const target = await startTarget();
  const folder = temporaryFolder();
  const recorder = await startRecorder(folder, target.url);
  await fetch(`${recorder.url}${PREFIX}/old`);
  await recorder.gate.close();
  const files = filesBelow(join(folder, 'recordings', 'default'));
  expect(Object.keys(files).filter((file) => file.endsWith('GET.json'))).toEqual(['old/GET.json']);
  expect(files['old/GET.json']).not.toContain('__patchgate');
  const replay = await startReplay(folder);
  for (const prefix of [PREFIX, '']) expect((await fetch(`${replay.url}${prefix}/old`)).status).toBe(200);
});

it.each<[ServerKind, Settings]>([
  ['replay', {}],
  ['proxy', { record: 'none', target: 'http://127.0.0.1:9', guard: 'off' }],
])('a sequence is its own: %s', async (kind, settings) => {
  const recordings = temporaryFolder();
  writeRecording(
    join(recordings, 'demo'),
    [1, 2].map((answer) => exchange({ body: { json: PROJECT }, answer: { json: answer } })),
  );
  const { url } = await startGate({ recordings, recording: 'demo', ...settings }, kind);
  const next = async (prefix: string) => (await patch(`${url}${prefix}${PROJECT_PATH}`)).text();
  expect([await next(''), await next(PREFIX), await next('/__patchgate/session/b')]).toEqual(['1', '1', '1']);
  expect([await next(PREFIX), await next('')]).toEqual(['2', '2']);
  const byHeader = await patch(url + PROJECT_PATH, PROJECT, { 'Patchgate-Session': 'b' });
  expect(await byHeader.text()).toBe('2');
});

it('the fake has a state for it', async () => {
  const { url } = await startGate({}, 'fake');
  await patch(`${url}${PREFIX}${PROJECT_PATH}`, { ...PROJECT, name: 'Other' });
  const nameAt = async (prefix: string) =>
    JSON.parse(await (await fetch(url + prefix + PROJECT_PATH)).text()).name as string;
  expect([await nameAt(PREFIX), await nameAt('')]).toEqual(['Other', 'Checkout']);
});

it('a WebSocket goes to the target without it', async () => {
  const target = await startTarget();
  const sockets = new WebSocketServer({ server: target.server });
  const asked: (string | undefined)[] = [];
  sockets.on('connection', (socket, { url }) => {
    asked.push(url);
    socket.close();
  });
  const { url, gate } = await startGate({ target: target.url });
  const open = (path: string) => new WebSocket(url.replace('http', 'ws') + path);
  await once(open(`${PREFIX}/socket?a=1`), 'close');
  expect(asked).toEqual(['/socket?a=1']);
  expect([...gate.exchanges({ session: NAME })].map(({ request }) => request.url)).toEqual(['/socket?a=1']);
  const [error] = await once(open(`${PREFIX}/x%2f..%2fsocket`), 'error');
  expect(String(error)).toContain('400');
  expect(asked).toHaveLength(1);
  sockets.close();
});
