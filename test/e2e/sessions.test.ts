/** Twenty tests at the same time, each in a session of its own: none sees anything of the others. */
import { once } from 'node:events';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { ServerKind } from '../../src/app/modes.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import { exchange, PROJECT_PATH } from '../support/exchanges.ts';
import {
  type InProcess,
  type Settings,
  startGate,
  startRecorder,
  startReplay,
} from '../support/in-process.ts';
import { exchangeFilesBelow, recordAll } from '../support/recordings.ts';
import { type Project, project } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PROJECT = project('1 A');
const NAMES = Array.from({ length: 20 }, (_, i) => `a suite/${i}: it's there`);
const NAME = NAMES[1] as string;

const headersOf = (session: string | undefined) => ({
  'content-type': 'application/json',
  ...(session !== undefined && { 'patchgate-session': session }),
});
const patch = (url: string, session?: string, body: unknown = PROJECT) =>
  fetch(url + PROJECT_PATH, { method: 'PATCH', headers: headersOf(session), body: JSON.stringify(body) });
const textOf = async (answer: Promise<Response>) => (await answer).text();
const reset = async (url: string, session?: string) => {
  const request = { method: 'POST', headers: headersOf(session) };
  expect((await fetch(`${url}/__patchgate/reset`, request)).status).toBe(200);
};

/** A recording in which the same PATCH was answered 1, 2, 3, 4, 5. */
async function recorded(): Promise<{ recordings: string; recording: string }> {
  const recordings = temporaryFolder();
  const answers = [1, 2, 3, 4, 5].map((json) => exchange({ body: { json: PROJECT }, answer: { json } }));
  await recordAll(recordings, 'demo', answers);
  return { recordings, recording: 'demo' };
}

/** What each session is answered, all at the same time. */
function walk(url: string): Promise<string[]> {
  return Promise.all(
    NAMES.map(async (name) => {
      const answers: string[] = [];
      for (let i = 0; i < 6; i++) answers.push(await textOf(patch(url, name)));
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
    expect([...gate.exchanges.list({ session: NAME })]).toEqual(
      Array(6).fill(expect.objectContaining({ session: NAME })),
    );
  });

  it('begins anew in a session that was reset, in no other one', async () => {
    const { url } = await startGate(await recorded(), 'replay');
    const next = async () =>
      [await textOf(patch(url, 'a/1')), await textOf(patch(url, 'b')), await textOf(patch(url))].join();
    expect(await next()).toBe('1,1,1');
    await reset(url, 'a/1');
    expect(await next()).toBe('1,2,2');
    await reset(url, 'b');
    expect(await next()).toBe('2,1,3');
    await reset(url);
    expect(await next()).toBe('1,1,1');
  });

  it('that is strict ends with a 501, in each session alone', async () => {
    const { url } = await startGate({ ...(await recorded()), strictSequence: true }, 'replay');
    for (const walked of await walk(url)) expect(walked).toMatch(/^1,2,3,4,5,\{.*"reason":"already-served"/);
  });
});

it('the fake takes a body with a content coding, as the gate does', async () => {
  const { url } = await startGate({}, 'fake');
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const body = gzipSync(JSON.stringify(PROJECT));
  expect((await fetch(url + PROJECT_PATH, { method: 'PATCH', headers, body })).status).toBe(200);
});

it('the fake has a state for each session', async () => {
  const { url } = await startGate({}, 'fake');
  const nameIn = async (session?: string) =>
    JSON.parse(await textOf(fetch(url + PROJECT_PATH, { headers: headersOf(session) }))).name;
  await Promise.all(
    NAMES.map(async (name) => {
      expect(await nameIn(name)).toBe('Checkout');
      expect((await patch(url, name, { ...PROJECT, name })).status).toBe(200);
      expect(await nameIn(name)).toBe(name);
    }),
  );
  expect(await nameIn()).toBe('Checkout');
  await patch(url, undefined, { ...PROJECT, name: 'unnamed' });
  await reset(url, NAME);
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
    const headers = headersOf(NAME);
    expect((await patch(url, NAME)).status).toBe(200);
    expect((await fetch(`${url}/any?x=%2F`, { headers })).status).toBe(200);
    await once(new WebSocket(`${url.replace('http', 'ws')}/socket?a=1`, { headers }), 'close');
    const got = target.received.map((request) => `${request.method} ${request.url}`);
    expect([...got, ...asked]).toEqual([`PATCH ${PROJECT_PATH}`, 'GET /any?x=%2F', '/socket?a=1']);
    expect(JSON.stringify(target.received.map(({ rawHeaders }) => rawHeaders))).not.toMatch(/patchgate/i);
    const shown = [...gate.exchanges.list({ session: NAME })].map(({ request }) => request.url);
    expect(shown).toEqual(['/socket?a=1', '/any?x=%2F', PROJECT_PATH]);
    sockets.close();
  });

  it('is in its header alone: the control API refuses it in a path', async () => {
    const target = await startTarget();
    const { url } = await startGate({ target: target.url, guard: 'off' });
    expect((await patch(`${url}/__patchgate/session/a`)).status).toBe(404);
    expect(target.received).toEqual([]);
  });
});

// What was recorded in a session is replayed in it: a suite whose tests change what they read, in whatever order.

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const TESTS = Array.from({ length: 10 }, (_, i) => `suite/changes a project, ${i}`);
const TENANT = 'x-tenant';

type Suite = (gate: InProcess) => Promise<string[][]>;

/** A test: reads, changes what it has read, and again. @returns the answers */
async function runTest({ url }: InProcess, name: string): Promise<string[]> {
  const answers: string[] = [];
  const ask = async (method: string, body?: string) => {
    const headers = { 'content-type': 'application/json', 'patchgate-session': name, [TENANT]: name };
    const response = await fetch(url + PROJECT_PATH, { method, headers, ...(body && { body }) });
    const text = await response.text();
    answers.push(`${response.status} ${text}`);
    return JSON.parse(text) as Project;
  };
  for (const round of [1, 2]) {
    const read = await ask('GET');
    await ask('PATCH', JSON.stringify({ ...read, name: `${read.name} ${name.at(-1)}${round}` }));
  }
  await ask('GET');
  return answers;
}

const inParallel: Suite = (gate) => Promise.all(TESTS.map((name) => runTest(gate, name)));

/** @returns in the order of the names */
const inTurn =
  (names: readonly string[]): Suite =>
  async (gate) => {
    const answers = new Map<string, string[]>();
    for (const name of names) answers.set(name, await runTest(gate, name));
    return TESTS.map((name) => answers.get(name) ?? []);
  };

const forwards = inTurn(TESTS);
const backwards = inTurn([...TESTS].reverse());

/** A service with one project. @param isShared else each tenant has one of its own */
async function startProject(isShared: boolean, nameOf = (_: string) => 'Checkout') {
  const projects = new Map<string, Project>();
  return startTarget((req, res, body) => {
    const tenant = isShared ? '' : String(req.headers[TENANT]);
    const before = projects.get(tenant) ?? { ...project('1 Production'), name: nameOf(tenant) };
    projects.set(tenant, req.method === 'PATCH' ? (JSON.parse(body.toString()) as Project) : before);
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify(projects.get(tenant)));
  });
}

async function recordSuite(target: { url: string }, suite: Suite): Promise<string[][]> {
  const recorder = await startRecorder(cwd, target.url);
  const answers = await suite(recorder);
  await recorder.gate.close();
  return answers;
}

/** All that is seen of a replay: its answers, what it missed, and what it never served. */
async function replayed(suite: Suite, settings: Settings = {}) {
  const replay = await startReplay(cwd, settings);
  const answers = await suite(replay);
  const missed = replay.gate.replay?.misses.list().count;
  const unserved = (await replay.gate.replay?.unserved())?.exchanges;
  await replay.gate.close();
  return { answers, missed, unserved };
}

const files = () => exchangeFilesBelow(join(cwd, 'recordings'));

/** The exchanges of all sessions but one. */
function withoutSession(name: string): Exchange[] {
  const all = Object.values(files()).flatMap(
    (text) => (JSON.parse(text) as { exchanges: Exchange[] }).exchanges,
  );
  return all.filter(({ meta }) => meta.session !== name);
}

describe.each([
  ['at the same time, each with a state of its own', false, inParallel],
  ['one after the other, each with a state of its own', false, forwards],
  ['one after the other, with one state for all', true, forwards],
])('ten tests recorded %s', (_, isShared, suite) => {
  it('are replayed in any order, each in its session; and recorded again, they change no byte', async () => {
    const answers = await recordSuite(await startProject(isShared), suite);
    expect(new Set(answers.map(([first]) => first)).size).toBe(isShared ? TESTS.length : 1);
    const before = files();
    for (const other of [inParallel, backwards])
      expect(await replayed(other, { strictSequence: true })).toEqual({ answers, missed: 0, unserved: [] });
    await recordSuite(await startProject(isShared), suite);
    expect(files()).toEqual(before);
    expect(await replayed(inParallel)).toEqual({ answers, missed: 0, unserved: [] });
  });
});

describe('one test of ten', () => {
  const ONE = TESTS[3] as string;

  it('recorded again changes its exchanges, and nobody else’s', async () => {
    const first = await recordSuite(await startProject(false), inParallel);
    const others = withoutSession(ONE);
    const nameOf = (tenant: string) => (tenant === ONE ? 'Renamed' : 'Checkout');
    const [, , , again] = await recordSuite(await startProject(false, nameOf), inTurn([ONE]));
    expect(withoutSession(ONE)).toEqual(others);
    expect(again?.[0]).toContain('Renamed');
    const now = first.with(3, again as string[]);
    expect(await replayed(inParallel)).toMatchObject({ answers: now, missed: 0 });
    const before = files();
    await recordSuite(await startProject(false, nameOf), inTurn([ONE]));
    expect(files()).toEqual(before);
  });
});

describe('a session that the recording does not know', () => {
  it('is given what was recorded in none, as is everybody where there are no sessions', async () => {
    const target = await startProject(true);
    const recorder = await startRecorder(cwd, target.url);
    const ask = async ({ url }: InProcess, headers: Record<string, string> = {}) => {
      const texts: string[] = [];
      for (const path of ['/a', '/a', '/b']) texts.push(await (await fetch(url + path, { headers })).text());
      return texts;
    };
    await ask(recorder);
    await recorder.gate.close();
    for (const text of Object.values(files())) expect(text).not.toContain('session');
    const replay = await startReplay(cwd);
    const plain = await ask(replay);
    for (const name of TESTS) expect(await ask(replay, { 'patchgate-session': name })).toEqual(plain);
    expect((await replay.gate.replay?.unserved())?.count).toBe(0);
  });
});

describe('a session that is not in the recording', () => {
  it('asks the service for its own, where what is missing is recorded', async () => {
    const target = await startProject(false);
    await recordSuite(target, forwards);
    const settings = { target: target.url, record: 'new_episodes' as const };
    const recorder = await startGate({ ...settings, recordings: join(cwd, 'recordings') });
    const answers = await runTest(recorder, 'new');
    await runTest(recorder, TESTS[0] as string);
    await recorder.gate.close();
    expect(withoutSession('new')).toHaveLength(TESTS.length * 5);
    const replay = await startReplay(cwd);
    expect(await runTest(replay, 'new')).toEqual(answers);
  });
});
