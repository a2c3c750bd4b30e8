/** What is recorded is replayed: the same statuses, the same bytes; which requests are the same, and what is said of the others. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Miss } from '../../src/recordings/explain.ts';
import type { Config } from '../../src/settings/config.ts';
import { startBinary } from '../support/binary.ts';
import {
  BAD_PROJECT,
  GOOD_PROJECT,
  JSON_TYPE,
  ODD_PROJECT_TEXT,
  PROJECT_PATH,
} from '../support/e2e-bodies.ts';
import {
  type InProcess,
  type Settings,
  startGate,
  startRecorder,
  startReplay,
} from '../support/in-process.ts';
import { RawConnection, type RawRequest, type RawResponse, sendRaw, valuesOf } from '../support/raw.ts';
import { exchangeFilesBelow, filesBelow } from '../support/recordings.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What a client can tell two answers apart by. */
async function answersTo(gate: { port: number }, requests: readonly RawRequest[]) {
  const answers: { status: number; type: string[]; body: string }[] = [];
  for (const request of requests) {
    const response = await sendRaw(gate.port, request);
    answers.push({
      status: response.status,
      type: valuesOf(response, 'content-type'),
      body: response.body.toString('latin1'),
    });
  }
  return answers;
}

const patch = (path: string, body: unknown): RawRequest => ({
  method: 'PATCH',
  path,
  headers: [JSON_TYPE],
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const BASE = '/api/v2/accounts/current';
const TRAFFIC: RawRequest[] = [
  { path: PROJECT_PATH },
  patch(PROJECT_PATH, GOOD_PROJECT),
  patch(PROJECT_PATH, ODD_PROJECT_TEXT),
  { path: `${PROJECT_PATH}?fields=name&x=%20` },
  patch(`${BASE}/features/7`, { description: 'x' }),
  patch(`${BASE}/drafts/1001`, { draftId: 1001, percentTraffic: 50 }),
  patch(`${BASE}/projects/999`, GOOD_PROJECT),
  { path: `${BASE}/features/12345` },
  { method: 'HEAD', path: PROJECT_PATH },
];

function problemIn(response: RawResponse): Record<string, unknown> {
  return JSON.parse(response.body.toString()) as Record<string, unknown>;
}

function withoutTimes(files: Record<string, string>): string {
  return JSON.stringify(files).replace(/\\"(?:recordedAt|durationMs)\\": ?[^,}]+/g, '');
}

describe('a recording of the fake', () => {
  it('answers as the fake did, when that is gone, blocks, and explains; made again it is the same but for when', async () => {
    const cwd = temporaryFolder();
    const service = await startBinary(['fake']);
    const gate = await startBinary(['proxy', service.url, '--record', '--recording', 'checkout'], { cwd });
    const recorded = await answersTo(gate, TRAFFIC);
    expect((await gate.stop()).code).toBe(0);
    expect((await service.stop()).code).toBe(0);
    expect(recorded.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 404, 404, 200]);
    const files = exchangeFilesBelow(join(cwd, 'recordings'));

    const replay = await startBinary(['replay', '--recording', 'checkout'], { cwd });
    expect(await answersTo(replay, TRAFFIC)).toEqual(recorded);
    // It is judged in front of.
    expect((await sendRaw(replay.port, patch(PROJECT_PATH, BAD_PROJECT))).status).toBe(422);
    // A miss is a 501 that explains, pointer by pointer.
    const missed = await sendRaw(replay.port, patch(PROJECT_PATH, { ...GOOD_PROJECT, name: 'Other' }));
    expect(missed.status).toBe(501);
    const problem = problemIn(missed);
    expect(problem).toMatchObject({ type: 'urn:patchgate:problem:no-recording', recording: 'checkout' });
    expect(JSON.stringify(problem)).toContain('/name');
    expect((await sendRaw(replay.port, { path: '/never/seen' })).status).toBe(501);
    await replay.said('501');
    expect(Object.keys(files).some((file) => file.endsWith(join('projects', '42', 'PATCH.json')))).toBe(true);
    expect((await replay.stop()).code).toBe(0);
    // Replaying changes no exchange.
    expect(exchangeFilesBelow(join(cwd, 'recordings'))).toEqual(files);

    const fake = await startGate({}, 'fake');
    const recorder = await startRecorder(cwd, fake.url, { recording: 'checkout' });
    await answersTo(recorder, TRAFFIC);
    await recorder.gate.close();
    expect(withoutTimes(exchangeFilesBelow(join(cwd, 'recordings')))).toEqual(withoutTimes(files));
  });
});

describe('a file that people wrote', () => {
  it('is answered from with the framing of this connection', async () => {
    const cwd = temporaryFolder();
    const headers = {
      'transfer-encoding': 'chunked',
      'content-length': '99',
      connection: 'close',
      'x-own': 'kept',
    };
    const exchange = {
      request: { method: 'GET', path: '/x', query: '', headers: {} },
      response: { status: 200, headers, body: { text: 'ok' } },
      meta: { recordedAt: '2026-11-20T12:00:00.000Z', durationMs: 1 },
    };
    const folder = join(cwd, 'recordings', 'default', 'x');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'GET.json'), JSON.stringify({ formatVersion: 1, exchanges: [exchange] }));
    const replay = await startReplay(cwd);
    const response = await sendRaw(replay.port, { path: '/x' });
    expect(response).toMatchObject({ status: 200, isWhole: true });
    expect(response.body.toString()).toBe('ok');
    expect(valuesOf(response, 'content-length')).toEqual(['2']);
    expect(valuesOf(response, 'transfer-encoding')).toEqual([]);
    expect(valuesOf(response, 'x-own')).toEqual(['kept']);
  });
});

describe('a miss', () => {
  it('of a body that is too large to be looked up is a 413, and the connection goes on', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'recordings/default'), { recursive: true });
    const replay = await startReplay(cwd);
    const client = await RawConnection.open(replay.port);
    client.write('POST /large HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = Buffer.from(`100000\r\n${'x'.repeat(1024 * 1024)}\r\n`);
    for (let i = 0; i < 66; i++) await new Promise((resolve) => client.socket.write(chunk, resolve));
    client.write('0\r\n\r\nGET /next HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect((await client.response()).status).toBe(413);
    expect((await client.response()).status).toBe(501);
    client.close();
  });
});

describe('record mode', () => {
  /** A proxy of the target. */
  type Start = (target: string) => Promise<{ port: number; stop(): Promise<unknown>; said(): string }>;
  const asProgram =
    (cwd: string, args: string[], env: Record<string, string> = {}): Start =>
    async (target) => {
      const { port, stop, stderr } = await startBinary(['proxy', target, ...args], { cwd, env });
      return { port, stop: () => stop(), said: stderr };
    };
  const here =
    (cwd: string, settings: Settings, env: Record<string, string> = {}): Start =>
    async (target) => {
      const all = { target, recordings: join(cwd, 'recordings'), ...settings };
      const { port, gate, notices } = await startGate(all, 'proxy', env);
      return { port, stop: () => gate.close(), said: () => notices.join('\n') };
    };

  /** Asks a proxy for paths, with a target that counts; tells the answers. */
  async function run(cwd: string, start: Start, paths: string[]) {
    const target = await startTarget((req, res) => res.end(`live ${req.url}`));
    const gate = await start(target.url);
    const answers = await answersTo(
      gate,
      paths.map((path) => ({ path })),
    );
    await gate.stop();
    await target.close();
    return {
      statuses: answers.map(({ status }) => status),
      asked: target.received.map(({ url }) => url),
      files: Object.keys(exchangeFilesBelow(join(cwd, 'recordings'))).length,
      said: gate.said(),
    };
  }

  it('says what is recorded and what is replayed, of one recording in turn', async () => {
    const cwd = temporaryFolder();
    // Once records a recording that is not there, then replays it.
    const first = await run(cwd, here(cwd, { record: 'once' }), ['/a', '/b']);
    expect(first).toMatchObject({ statuses: [200, 200], asked: ['/a', '/b'], files: 2 });
    const second = await run(cwd, here(cwd, { record: 'once' }), ['/a', '/c']);
    expect(second).toMatchObject({ statuses: [200, 501], asked: [], files: 2 });
    // None replays only.
    const none = await run(cwd, here(cwd, { record: 'none' }), ['/b', '/new']);
    expect(none).toMatchObject({ statuses: [200, 501], asked: [], files: 2 });
    // New_episodes replays what is known and records the rest.
    const episodes = await run(cwd, here(cwd, { record: 'new_episodes' }), ['/a', '/c', '/c']);
    expect(episodes).toMatchObject({ statuses: [200, 200, 200], asked: ['/c'], files: 3 });
    // All forwards all, and is what the bare option means.
    const all = await run(cwd, here(cwd, { record: 'all' }), ['/a', '/d']);
    expect(all).toMatchObject({ statuses: [200, 200], asked: ['/a', '/d'], files: 4 });
    const bare = await run(cwd, asProgram(cwd, ['--record', '--recording', 'default']), ['/a', '/e']);
    expect(bare).toMatchObject({ statuses: [200, 200], asked: ['/a', '/e'], files: 5 });
  });

  it('new_episodes answers a guarded PATCH that is recorded without its target, and guards every other', async () => {
    const cwd = temporaryFolder();
    const fake = await startBinary(['fake']);
    const settings = { record: 'new_episodes', guard: 'on', state: '' } as const;
    const recorder = await startRecorder(cwd, fake.url, settings);
    const asked = patch(PROJECT_PATH, GOOD_PROJECT);
    const [first] = await answersTo(recorder, [asked]);
    await recorder.gate.close();
    await fake.stop();
    const again = await startRecorder(cwd, fake.url, settings);
    const [same, other] = await answersTo(again, [
      asked,
      patch(PROJECT_PATH, { ...GOOD_PROJECT, name: 'Other' }),
    ]);
    expect(first?.status).toBe(200);
    expect(same).toEqual(first);
    expect(other?.status).toBe(502);
    await again.gate.close();
  });

  it.each(['once', 'new_episodes'] as const)('%s replays only where CI is set, and says so', async (mode) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'recordings/default'), { recursive: true });
    const result = await run(cwd, here(cwd, { record: mode }, { CI: 'true' }), ['/a']);
    expect(result).toMatchObject({ statuses: [501], asked: [], files: 0 });
    expect(result.said).toContain('replays only');
  });
});

it('a proxy says at its end how much it recorded, and where', async () => {
  const target = await startTarget();
  const gate = await startBinary(['proxy', target.url, '--record', '--recording', 'checkout']);
  for (const path of ['/a', '/b']) await sendRaw(gate.port, { path });
  const { code, stderr } = await gate.stop();
  expect(code).toBe(0);
  expect(stderr).toMatch(/\npatchgate: recorded 2 exchanges in recordings.checkout\n$/);
});

const REST = '/accounts/current/projects/42';

interface Sent {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

function send(gate: InProcess, { path, method = 'PUT', headers, body }: Sent): Promise<Response> {
  return fetch(gate.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** Records these requests one after the other, each answered with its number. @returns the folder */
async function record(settings: Partial<Config>, sent: readonly Sent[]): Promise<string> {
  const recordings = join(temporaryFolder(), 'recordings');
  let count = 0;
  const target = await startTarget((_req, res) => res.end(String(++count)));
  const gate = await startGate({ target: target.url, record: 'all', recordings, ...settings });
  for (const one of sent) await (await send(gate, one)).text();
  await gate.gate.close();
  return recordings;
}

async function replayed(recordings: string, settings: Partial<Config>, sent: readonly Sent[]) {
  const gate = await startGate({ recordings, ...settings }, 'replay');
  const answers: (string | number)[] = [];
  for (const one of sent) {
    const response = await send(gate, one);
    const text = await response.text();
    answers.push(response.status === 200 ? text : response.status);
  }
  return answers;
}

describe('an option', () => {
  it('names headers that tell requests apart; they are kept, without secrets', async () => {
    const settings = { matchHeaders: ['Accept-Language', 'Authorization'] };
    const headers = (language: string, secret: string) => ({
      'accept-language': language,
      authorization: `Bearer ${secret}`,
      'x-other': secret,
    });
    const sent = [
      { path: '/a', headers: headers('en', 's3cret-1') },
      { path: '/a', headers: headers('de', 's3cret-2') },
    ];
    const recordings = await record(settings, sent);
    const texts = Object.values(filesBelow(recordings)).join('\n');
    expect(texts).toContain('"accept-language": "de"');
    expect(texts).not.toContain('s3cret');
    const answers = await replayed(recordings, settings, [
      { path: '/a', headers: headers('de', 's3cret-3') },
      { path: '/a', headers: headers('en', 's3cret-4') },
      { path: '/a', headers: headers('fr', 's3cret-1') },
      { path: '/a', headers: { 'accept-language': 'en' } },
    ]);
    expect(answers).toEqual(['2', '1', 501, 501]);
  });

  it('takes places and parameters out of the comparison', async () => {
    const settings = { ignorePointers: ['/list/*/id'], ignoreQuery: ['t'] };
    const body = (n: number, id: number) => ({ list: [{ id, n }] });
    const recordings = await record(settings, [
      { path: '/a?t=1&q=1', body: body(1, 1) },
      { path: '/a?t=2&q=1', body: body(2, 2) },
    ]);
    const answers = await replayed(recordings, settings, [
      { path: '/a?q=1&t=9', body: body(2, 7) },
      { path: '/a?q=1', body: body(1, 7) },
      { path: '/a?q=2', body: body(1, 7) },
      { path: '/a?q=1', body: body(3, 7) },
    ]);
    expect(answers).toEqual(['2', '1', 501, 501]);
  });
});

it('a request is judged again if its body, path or headers are others', async () => {
  const good = { path: PROJECT_PATH, method: 'PATCH', body: GOOD_PROJECT };
  const recordings = await record({ guard: 'off' }, [good]);
  const answers = await replayed(recordings, {}, [
    good,
    { ...good, headers: { 'content-type': 'text/plain' } },
    { ...good, body: BAD_PROJECT },
    { ...good, path: `${PROJECT_PATH};x` },
    good,
  ]);
  expect(answers).toEqual(['1', 415, 422, 400, '1']);
});

describe('a miss of a recording', () => {
  it('is explained in the same words in the answer and the control API', async () => {
    const recordings = await record({}, [
      { path: `/api/v2${REST}`, body: { name: 'Checkout', token: 's3cret-1' } },
    ]);
    const gate = await startGate({ recordings }, 'replay');
    const response = await send(gate, {
      path: `/api/v2${REST}`,
      body: { name: 'Basket', token: 's3cret-2' },
    });
    const problem = (await response.json()) as Miss & { detail: string };
    expect(problem).toMatchObject({
      status: 501,
      reason: 'differs',
      nearest: { differences: [{ place: '/name', recorded: '"Checkout"', sent: '"Basket"' }] },
    });
    expect(problem.detail).toMatch(/in the nearest \/name: recorded "Checkout", sent "Basket"$/);
    expect(problem.hint).toContain('--ignore-pointers');
    const { exchanges } = (await (await fetch(`${gate.url}/__patchgate/exchanges`)).json()) as {
      exchanges: { failure?: string }[];
    };
    expect(exchanges.at(-1)?.failure).toBe(problem.detail);
    expect(JSON.stringify([problem, exchanges])).not.toContain('s3cret');
  });
});
