/** Twenty tests at the same time, each in a session of its own, by header or by path: none sees anything of the others. */
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { ServerKind } from '../../src/app/modes.ts';
import { DEFAULT_RULES } from '../../src/recordings/match-rules.ts';
import { openStore } from '../../src/recordings/store.ts';
import { startBinary } from '../support/binary.ts';
import { exchange, PROJECT_PATH, plainOf } from '../support/exchanges.ts';
import { type Settings, startGate, startRecorder, startReplay } from '../support/in-process.ts';
import { sendRaw } from '../support/raw.ts';
import { filesBelow } from '../support/recordings.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PROJECT = {
  name: 'Checkout',
  languages: ['GO'],
  environments: [{ id: 1, name: 'A', isEnabled: true }],
};
const NAMES = Array.from({ length: 20 }, (_, i) => `a suite/${i}: it's there`);
const NAME = NAMES[1] as string;
const pathOf = (session: string) => `/__patchgate/session/${encodeURIComponent(session)}`;

const headersOf = (session: string | undefined) => ({
  'content-type': 'application/json',
  ...(session !== undefined && { 'patchgate-session': session }),
});
const patch = (url: string, session?: string, body: unknown = PROJECT) =>
  fetch(url + PROJECT_PATH, { method: 'PATCH', headers: headersOf(session), body: JSON.stringify(body) });
const textOf = async (answer: Promise<Response>) => (await answer).text();
const reset = async (url: string, query = '') =>
  expect((await fetch(`${url}/__patchgate/reset${query}`, { method: 'POST' })).status).toBe(200);

/** A recording in which the same PATCH was answered 1, 2, 3, 4, 5. */
async function recorded(): Promise<{ recordings: string; recording: string }> {
  const recordings = temporaryFolder();
  const store = await openStore(recordings, 'demo', { writable: true });
  for (const answer of [1, 2, 3, 4, 5])
    store.append(plainOf(exchange({ body: { json: PROJECT }, answer: { json: answer } })));
  await store.close();
  return { recordings, recording: 'demo' };
}

/** What each session is answered, all at the same time, every other one named by its path. */
function walk(url: string): Promise<string[]> {
  return Promise.all(
    NAMES.map(async (name, index) => {
      const answers: string[] = [];
      for (let i = 0; i < 6; i++)
        answers.push(await textOf(index % 2 ? patch(url, name) : patch(url + pathOf(name))));
      return answers.join();
    }),
  );
}

describe('a sequence', () => {
  it.each<[ServerKind, Settings]>([
    ['replay', {}],
    ['proxy', { record: 'none', guard: 'off' }],
    ['proxy', { record: 'new_episodes', guard: 'off' }],
  ])('is walked by each session alone: %s %j', async (kind, settings) => {
    const target = await startTarget();
    const of = { ...(await recorded()), ...settings, ...(kind === 'proxy' && { target: target.url }) };
    const { url, gate } = await startGate(of, kind);
    expect(await walk(url)).toEqual(NAMES.map(() => '1,2,3,4,5,5'));
    expect(target.received).toEqual([]);
    expect([...gate.exchanges({ session: NAME })]).toEqual(
      Array(6).fill(expect.objectContaining({ session: NAME })),
    );
  });

  it('begins anew in a session that was reset, in no other one', async () => {
    const { url } = await startGate(await recorded(), 'replay');
    const next = async () =>
      [
        await textOf(patch(url, 'a/1')),
        await textOf(patch(url + pathOf('b'))),
        await textOf(patch(url)),
      ].join();
    expect(await next()).toBe('1,1,1');
    await reset(url, '?session=a%2F1');
    expect(await next()).toBe('1,2,2');
    await reset(url, '?session=b');
    expect(await next()).toBe('2,1,3');
    await reset(url, '?session=');
    expect(await next()).toBe('3,2,1');
    await reset(url);
    expect(await next()).toBe('1,1,1');
  });

  it('that is strict ends with a 501, in each session alone', async () => {
    const { url } = await startGate({ ...(await recorded()), strictSequence: true }, 'replay');
    for (const walked of await walk(url)) expect(walked).toMatch(/^1,2,3,4,5,\{.*"reason":"already-served"/);
  });

  it('is its own beside one that records into it, in four processes', async () => {
    const { recordings } = await recorded();
    const common = ['--recordings', recordings, '--recording', 'demo', '--log', 'off'];
    const target = await startTarget();
    const [recorder, ...replays] = await Promise.all([
      startBinary(['proxy', target.url, '--record', 'new_episodes', ...common]),
      ...[1, 2, 3].map(() => startBinary(['replay', ...common])),
    ]);
    const records = async () => {
      for (let i = 0; i < 100; i++)
        expect((await fetch(`${recorder.url}/new/${i % 25}?i=${i}`)).status).toBe(200);
    };
    const [, ...all] = await Promise.all([records(), ...replays.map(({ url }) => walk(url))]);
    for (const answers of all) expect(answers).toEqual(NAMES.map(() => '1,2,3,4,5,5'));
    const ends = await Promise.all([recorder, ...replays].map((one) => one.stop()));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const store = await openStore(recordings, 'demo', { rules: DEFAULT_RULES });
    const counts = [...store.places()].map(({ method, path }) => store.exchanges(method, path).length);
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(105);
    await store.close();
  });
});

it('the fake has a state for each session', async () => {
  const { url } = await startGate({}, 'fake');
  const nameIn = async (session?: string) =>
    JSON.parse(await textOf(fetch(url + PROJECT_PATH, { headers: headersOf(session) }))).name;
  await Promise.all(
    NAMES.map(async (name) => {
      expect(await nameIn(name)).toBe('Checkout');
      expect((await patch(url + pathOf(name), undefined, { ...PROJECT, name })).status).toBe(200);
      expect(await nameIn(name)).toBe(name);
    }),
  );
  expect(await nameIn()).toBe('Checkout');
  await patch(url, undefined, { ...PROJECT, name: 'unnamed' });
  await reset(url, `?session=${encodeURIComponent(NAME)}`);
  expect([await nameIn(NAME), await nameIn(NAMES[4]), await nameIn()]).toEqual([
    'Checkout',
    NAMES[4],
    'unnamed',
  ]);
});

describe('the name of a session', () => {
  it('never reaches the target, whether a request is judged, streams through or is a WebSocket', async () => {
    const target = await startTarget();
    const sockets = new WebSocketServer({ server: target.server });
    const asked: (string | undefined)[] = [];
    sockets.on('connection', (socket, { url }) => socket.close(undefined, String(asked.push(url))));
    const { url, gate } = await startGate({ target: target.url, guard: 'off' });
    const prefix = pathOf(NAME);
    expect((await patch(url + prefix)).status).toBe(200);
    expect((await fetch(`${url}${prefix}/any?x=%2F`, { headers: headersOf(NAME) })).status).toBe(200);
    expect((await fetch(url + prefix)).status).toBe(200);
    await once(new WebSocket(`${url.replace('http', 'ws')}${prefix}/socket?a=1`), 'close');
    const got = target.received.map((request) => `${request.method} ${request.url}`);
    expect([...got, ...asked]).toEqual([`PATCH ${PROJECT_PATH}`, 'GET /any?x=%2F', 'GET /', '/socket?a=1']);
    expect(JSON.stringify(target.received.map(({ rawHeaders }) => rawHeaders))).not.toMatch(/patchgate/i);
    const shown = [...gate.exchanges({ session: NAME })].map(({ request }) => request.url);
    expect(shown).toEqual(['/socket?a=1', '/', '/any?x=%2F', PROJECT_PATH]);
    sockets.close();
  });

  it('changes nothing of how a body is judged', async () => {
    const target = await startTarget();
    const { url } = await startGate({ target: target.url });
    const statusOf = async (path: string, body: unknown) =>
      (
        await fetch(url + pathOf(NAME) + path, {
          method: 'PATCH',
          headers: headersOf(NAME),
          body: JSON.stringify(body),
        })
      ).status;
    expect(await statusOf(PROJECT_PATH, { name: 'x' })).toBe(422);
    expect(await statusOf(PROJECT_PATH.replace('projects', 'PROJECTS'), PROJECT)).toBe(400);
    expect(await statusOf(PROJECT_PATH, { ...PROJECT, environments: [] })).toBe(409);
    expect(target.received).toEqual([]);
  });

  it('is not part of a recorded path', async () => {
    const target = await startTarget();
    const folder = temporaryFolder();
    const recorder = await startRecorder(folder, target.url);
    await fetch(`${recorder.url}${pathOf(NAME)}/old`);
    await recorder.gate.close();
    const files = filesBelow(join(folder, 'recordings', 'default'));
    expect(Object.keys(files).filter((file) => file.endsWith('GET.json'))).toEqual(['old/GET.json']);
    expect(files['old/GET.json']).not.toContain('__patchgate');
    const replay = await startReplay(folder);
    for (const prefix of [pathOf(NAME), ''])
      expect((await fetch(`${replay.url}${prefix}/old`)).status).toBe(200);
  });

  /** Each as its bytes go out: a client's own URL parser would mend most of them. */
  it.each([
    `${pathOf('a')}/x/../..${PROJECT_PATH}`,
    `${pathOf('a')}/%252e%252e${PROJECT_PATH}`,
    `${pathOf('a')}${pathOf('b')}${PROJECT_PATH}`,
    `${pathOf('a')}\\..${PROJECT_PATH}`,
    `/__patchgate/session/${PROJECT_PATH}`,
    `${pathOf('a')}/__patchgate/reset`,
    `http://elsewhere.example${pathOf('a')}/../x${PROJECT_PATH}`,
  ])('cannot lead past the judging: %s', async (path) => {
    const target = await startTarget();
    const { port, gate } = await startGate({ target: target.url, guard: 'off' });
    const answer = await sendRaw(port, { method: 'PATCH', path, body: '{"name":"x"}' });
    expect(answer.status).toBe(400);
    expect(JSON.parse(String(answer.body))).toMatchObject({
      type: 'urn:patchgate:problem:malformed-request',
    });
    expect(target.received).toEqual([]);
    expect([...gate.exchanges()]).toHaveLength(1);
  });
});
