/** Twenty tests at the same time, each in a session of its own: none sees anything of the others. */
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { ServerKind } from '../../src/app/modes.ts';
import { openStore } from '../../src/recordings/store.ts';
import type { Config } from '../../src/settings/config.ts';
import { startBinary } from '../support/binary.ts';
import { exchange, PROJECT_PATH, plainOf } from '../support/exchanges.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PATCH = JSON.stringify({
  name: 'Checkout',
  languages: ['GO'],
  environments: [{ id: 1, name: 'Production', isEnabled: true }],
});
const NAMES = Array.from({ length: 20 }, (_, i) => `a suite/${i}: it's there`);

interface Ask {
  method?: string;
  path?: string;
  body?: string;
  session?: string | undefined;
}

/** A client that keeps its one connection open. */
function client(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = ({ method = 'PATCH', path = PROJECT_PATH, body = PATCH, session }: Ask = {}) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        ...(session !== undefined && { 'patchgate-session': session }),
      };
      const sent = request(url + path, { method, headers, agent }, (response) => {
        text(response).then(
          (content) => resolve({ status: response.statusCode as number, text: content }),
          reject,
        );
      });
      sent.on('error', reject);
      sent.end(method === 'PATCH' ? body : undefined);
    });
  return { ask, end: () => agent.destroy() };
}

/** Each with a connection of its own, all at the same time. */
async function inAll<T>(
  url: string,
  work: (session: string, ask: ReturnType<typeof client>['ask']) => Promise<T>,
) {
  return Promise.all(
    NAMES.map(async (session) => {
      const { ask, end } = client(url);
      try {
        return await work(session, ask);
      } finally {
        end();
      }
    }),
  );
}

/** A recording in which the same PATCH was answered 1, 2, 3, 4, 5. */
async function recorded(): Promise<Pick<Config, 'recordings' | 'recording'>> {
  const recordings = temporaryFolder();
  const store = await openStore(recordings, 'demo', { writable: true });
  for (const answer of [1, 2, 3, 4, 5])
    store.append(plainOf(exchange({ body: { json: JSON.parse(PATCH) }, answer: { json: answer } })));
  await store.close();
  return { recordings, recording: 'demo' };
}

const control = async (gate: InProcess, line: string) => {
  const [method = '', path] = line.split(' ');
  const response = await fetch(`${gate.url}/__patchgate/${path}`, { method });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};

describe('a sequence', () => {
  it.each([
    ['replay', {}],
    ['proxy', { record: 'none' }],
    ['proxy', { record: 'new_episodes' }],
  ] as [ServerKind, Partial<Config>][])('is walked by each session alone: %s %j', async (kind, settings) => {
    const target = await startTarget();
    const gate = await startGate(
      { ...(await recorded()), ...settings, ...(kind === 'proxy' && { target: target.url, guard: 'off' }) },
      kind,
    );
    const all = await inAll(gate.url, async (session, ask) => {
      const answers: string[] = [];
      for (let i = 0; i < 6; i++) answers.push((await ask({ session })).text);
      return answers.join();
    });
    expect(all).toEqual(NAMES.map(() => '1,2,3,4,5,5'));
    expect(target.received).toEqual([]);
    const name = encodeURIComponent(NAMES[7] as string);
    const { exchanges } = (await control(gate, `GET exchanges?session=${name}`)).json;
    expect(exchanges).toHaveLength(6);
    expect(exchanges).toEqual(
      (exchanges as unknown[]).map(() => expect.objectContaining({ session: NAMES[7] })),
    );
  });

  it('begins anew in a session that was reset or ended, in no other one', async () => {
    const gate = await startGate(await recorded(), 'replay');
    const { ask, end } = client(gate.url);
    const next = async () => [
      (await ask({ session: 'a/1' })).text,
      (await ask({ session: 'b' })).text,
      (await ask()).text,
    ];
    expect(await next()).toEqual(['1', '1', '1']);
    expect((await control(gate, 'POST reset?session=a%2F1')).status).toBe(200);
    expect(await next()).toEqual(['1', '2', '2']);
    expect((await control(gate, 'POST reset?session=b')).status).toBe(200);
    expect(await next()).toEqual(['2', '1', '3']);
    expect((await control(gate, 'POST reset?session=')).status).toBe(200);
    expect(await next()).toEqual(['3', '2', '1']);
    expect((await control(gate, 'POST reset')).status).toBe(200);
    expect(await next()).toEqual(['1', '1', '1']);
    end();
  });

  it('that is strict ends with a 501, in each session alone', async () => {
    const gate = await startGate({ ...(await recorded()), strictSequence: true }, 'replay');
    const all = await inAll(gate.url, async (session, ask) => {
      const answers: (string | number)[] = [];
      for (let i = 0; i < 5; i++) answers.push((await ask({ session })).text);
      const last = await ask({ session });
      return [...answers, last.status, JSON.parse(last.text).reason].join();
    });
    expect(all).toEqual(NAMES.map(() => '1,2,3,4,5,501,already-served'));
  });
});

describe('the fake', () => {
  it('has a state for each session', async () => {
    const gate = await startGate({}, 'fake');
    const nameIn = async (ask: ReturnType<typeof client>['ask'], session?: string) =>
      JSON.parse((await ask({ method: 'GET', session })).text).name;
    const all = await inAll(gate.url, async (session, ask) => {
      const before = await nameIn(ask, session);
      const names: string[] = [];
      for (let i = 0; i < 5; i++) {
        const name = `${session} ${i}`;
        const patched = await ask({ session, body: JSON.stringify({ ...JSON.parse(PATCH), name }) });
        names.push(`${patched.status} ${(await nameIn(ask, session)) === name}`);
      }
      return [before, ...names].join();
    });
    expect(all).toEqual(NAMES.map(() => ['Checkout', ...Array(5).fill('200 true')].join()));
    const { ask, end } = client(gate.url);
    expect(await nameIn(ask)).toBe('Checkout');
    await ask({ body: PATCH.replace('Checkout', 'unnamed') });
    await control(gate, `POST reset?session=${encodeURIComponent(NAMES[3] as string)}`);
    expect(await nameIn(ask, NAMES[3])).toBe('Checkout');
    expect(await nameIn(ask, NAMES[4])).toBe(`${NAMES[4]} 4`);
    expect(await nameIn(ask)).toBe('unnamed');
    await control(gate, 'POST reset');
    expect(await nameIn(ask, NAMES[4])).toBe('Checkout');
    expect(await nameIn(ask)).toBe('Checkout');
    end();
  });

  it('has its seed again in the one session whose name comes with the reset', async () => {
    const gate = await startGate({}, 'fake');
    const { ask, end } = client(gate.url);
    const sessions = ['a', 'b', undefined];
    const change = async (session: string | undefined) =>
      expect((await ask({ session, body: PATCH.replace('Checkout', 'changed') })).status).toBe(200);
    const names = () =>
      Promise.all(
        sessions.map(async (session) => JSON.parse((await ask({ method: 'GET', session })).text).name),
      );
    for (const session of sessions) await change(session);
    expect(await names()).toEqual(['changed', 'changed', 'changed']);
    const reset = (query: string, headers: Record<string, string>) =>
      fetch(`${gate.url}/__patchgate/reset${query}`, { method: 'POST', headers });
    expect((await reset('', { 'Patchgate-Session': 'a' })).status).toBe(200);
    expect(await names()).toEqual(['Checkout', 'changed', 'changed']);
    expect((await reset('?session=b', { 'Patchgate-Session': 'a' })).status).toBe(400);
    expect((await reset('?session=', {})).status).toBe(200);
    expect(await names()).toEqual(['Checkout', 'changed', 'Checkout']);
    expect((await reset('', {})).status).toBe(200);
    expect(await names()).toEqual(['Checkout', 'Checkout', 'Checkout']);
    end();
  });

  it('takes the place in its session from the name alone, whatever number a client sends', async () => {
    const gate = await startGate({}, 'fake');
    const { ask, end } = client(gate.url);
    expect((await ask({ session: '1', body: PATCH.replace('Checkout', 'one') })).status).toBe(200);
    for (const session of ['2', '3', undefined])
      expect(JSON.parse((await ask({ method: 'GET', session })).text).name).toBe('Checkout');
    end();
  });
});

describe('the header', () => {
  it('never reaches the target, and shows on the list of exchanges', async () => {
    const target = await startTarget();
    const gate = await startGate({ target: target.url });
    const { ask, end } = client(gate.url);
    expect((await ask({ method: 'GET', session: 'a' })).status).toBe(200);
    expect((await ask({ session: 'a', path: '/other' })).status).toBe(200);
    expect(target.received.flatMap(({ headers }) => Object.keys(headers)).join()).not.toContain('patchgate');
    const { json } = await control(gate, 'GET exchanges?session=a');
    expect(json.exchanges).toHaveLength(2);
    end();
  });

  it.each([[''], ['a', 'a'], ['ü'], ['..'], ['x'.repeat(101)]])('is refused as %j…', async (...values) => {
    const gate = await startGate({}, 'fake');
    const sent = request(gate.url + PROJECT_PATH, {
      headers: ['Host', 'localhost', ...values.flatMap((value) => ['Patchgate-Session', value])],
    });
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      sent.on('response', async (response) => {
        resolve({ status: response.statusCode, text: await text(response) });
      });
      sent.on('error', reject).end();
    });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ type: 'urn:patchgate:problem:malformed-request' });
    expect(JSON.parse(answer.text).hint).toContain('1 to 100');
  });
});

describe('four processes on one recording', () => {
  it('one records while three replay, twenty sessions each', async () => {
    const { recordings } = await recorded();
    const common = ['--recordings', recordings, '--recording', 'demo', '--log', 'off'];
    const target = await startTarget();
    const [recorder, ...replays] = await Promise.all([
      startBinary(['proxy', target.url, '--record', 'new_episodes', ...common]),
      ...[1, 2, 3].map(() => startBinary(['replay', ...common])),
    ]);
    const records = (async () => {
      const { ask, end } = client(recorder.url);
      for (let i = 0; i < 100; i++)
        expect((await ask({ method: 'GET', path: `/new/${i % 25}?i=${i}` })).status).toBe(200);
      end();
    })();
    const walks = replays.map(({ url }) =>
      inAll(url, async (session, ask) => {
        const answers: string[] = [];
        for (let i = 0; i < 6; i++) answers.push((await ask({ session })).text);
        return answers.join();
      }),
    );
    const [, ...all] = await Promise.all([records, ...walks]);
    for (const answers of all) expect(answers).toEqual(NAMES.map(() => '1,2,3,4,5,5'));
    const ends = await Promise.all([recorder, ...replays].map((one) => one.stop()));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const store = await openStore(recordings, 'demo');
    let count = 0;
    for (const { method, path } of store.places()) count += store.exchanges(method, path).length;
    expect(count).toBe(105);
    await store.close();
  });
});
