/** What was recorded in a session is replayed in it: a suite whose tests change what they read, in whatever order. */
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { exchangeFilesIn } from '../support/answers.ts';
import { PROJECT_PATH } from '../support/exchanges.ts';
import {
  type InProcess,
  type Settings,
  startGate,
  startRecorder,
  startReplay,
} from '../support/in-process.ts';
import { project } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NAMES = Array.from({ length: 10 }, (_, i) => `suite/changes a project, ${i}`);
const TENANT = 'x-tenant';

let cwd: string;

beforeEach(() => {
  cwd = temporaryFolder();
});

type Suite = (gate: InProcess) => Promise<string[][]>;
type Project = ReturnType<typeof project>;

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

const inParallel: Suite = (gate) => Promise.all(NAMES.map((name) => runTest(gate, name)));

/** @returns in the order of the names */
const inTurn =
  (names: readonly string[]): Suite =>
  async (gate) => {
    const answers = new Map<string, string[]>();
    for (const name of names) answers.set(name, await runTest(gate, name));
    return NAMES.map((name) => answers.get(name) ?? []);
  };

const forwards = inTurn(NAMES);
const backwards = inTurn([...NAMES].reverse());

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

async function recorded(target: { url: string }, suite: Suite): Promise<string[][]> {
  const recorder = await startRecorder(cwd, target.url);
  const answers = await suite(recorder);
  await recorder.gate.close();
  return answers;
}

/** All that is seen of a replay: its answers, what it missed, and what it never served. */
async function replayed(suite: Suite, settings: Settings = {}) {
  const replay = await startReplay(cwd, settings);
  const answers = await suite(replay);
  const { count: missed } = replay.gate.misses();
  const unserved = (await replay.gate.unserved())?.exchanges;
  await replay.gate.close();
  return { answers, missed, unserved };
}

function files(): Map<string, string> {
  return exchangeFilesIn(join(cwd, 'recordings'));
}

/** The exchanges of all sessions but one. */
function withoutSession(name: string): Exchange[] {
  const all = [...files().values()].flatMap(
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
    const answers = await recorded(await startProject(isShared), suite);
    expect(new Set(answers.map(([first]) => first)).size).toBe(isShared ? NAMES.length : 1);
    const before = files();
    for (const other of [inParallel, backwards])
      expect(await replayed(other, { strictSequence: true })).toEqual({ answers, missed: 0, unserved: [] });
    await recorded(await startProject(isShared), suite);
    expect(files()).toEqual(before);
    expect(await replayed(inParallel)).toEqual({ answers, missed: 0, unserved: [] });
  });
});

describe('one test of ten', () => {
  const ONE = NAMES[3] as string;

  it('recorded again changes its exchanges, and nobody else’s', async () => {
    const first = await recorded(await startProject(false), inParallel);
    const others = withoutSession(ONE);
    const nameOf = (tenant: string) => (tenant === ONE ? 'Renamed' : 'Checkout');
    const [, , , again] = await recorded(await startProject(false, nameOf), inTurn([ONE]));
    expect(withoutSession(ONE)).toEqual(others);
    expect(again?.[0]).toContain('Renamed');
    const now = first.with(3, again as string[]);
    expect(await replayed(inParallel)).toMatchObject({ answers: now, missed: 0 });
    const before = files();
    await recorded(await startProject(false, nameOf), inTurn([ONE]));
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
    for (const text of files().values()) expect(text).not.toContain('session');
    const replay = await startReplay(cwd);
    const plain = await ask(replay);
    for (const name of NAMES) expect(await ask(replay, { 'patchgate-session': name })).toEqual(plain);
    expect((await replay.gate.unserved())?.count).toBe(0);
  });

  it('is given what is recorded behind that, too: it is recorded in none', async () => {
    let count = 0;
    const { url: target } = await startTarget((_req, res) => res.end(`answer ${++count}`));
    const ask = async ({ url }: InProcess, name: string) =>
      (await fetch(`${url}/a`, { headers: name === '' ? {} : { 'patchgate-session': name } })).text();
    const recorder = await startRecorder(cwd, target);
    await ask(recorder, '');
    await recorder.gate.close();
    const strict = { recordings: join(cwd, 'recordings'), strictSequence: true };
    const episodes = await startGate({ ...strict, target, record: 'new_episodes' });
    for (const expected of ['answer 1', 'answer 2', 'answer 3'])
      expect(await ask(episodes, 'one')).toBe(expected);
    await episodes.gate.close();
    const replay = await startReplay(cwd, strict);
    for (const name of ['one', 'two'])
      for (const expected of ['answer 1', 'answer 2', 'answer 3'])
        expect(await ask(replay, name)).toBe(expected);
  });
});

describe('a session that is not in the recording', () => {
  it('asks the service for its own, where what is missing is recorded', async () => {
    const target = await startProject(false);
    await recorded(target, forwards);
    const settings = { target: target.url, record: 'new_episodes' as const };
    const recorder = await startGate({ ...settings, recordings: join(cwd, 'recordings') });
    const answers = await runTest(recorder, 'new');
    await runTest(recorder, NAMES[0] as string);
    await recorder.gate.close();
    expect(withoutSession('new')).toHaveLength(NAMES.length * 5);
    const replay = await startReplay(cwd);
    expect(await runTest(replay, 'new')).toEqual(answers);
  });
});
