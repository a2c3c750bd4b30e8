import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  proxy,
  recordingName,
  replay,
  type TestGate,
  type TestGateOptions,
  type TestSession,
} from '../../src/testing/index.ts';
import { type ExchangeParts, exchange } from '../support/exchanges.ts';
import { writeRecording } from '../support/recorded-folder.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const open: TestGate[] = [];
afterEach(async () => {
  for (const gate of open.splice(0)) await gate.close();
});

/** A gate that replays GETs of these paths; the same one several times is a sequence: 1, 2, … */
async function gateOf(paths: string[], options: TestGateOptions = {}): Promise<TestGate> {
  const recordings = temporaryFolder();
  const exchanges = paths.map((path, index): ExchangeParts => {
    const place = paths.slice(0, index).filter((other) => other === path).length;
    return { method: 'GET', path, requestHeaders: {}, answer: { json: place + 1 } };
  });
  writeRecording(join(recordings, 'demo'), exchanges.map(exchange));
  const gate = await replay({ recordings, recording: 'demo', ...options });
  open.push(gate);
  return gate;
}

const get = async (url: string, headers: Readonly<Record<string, string>> = {}) =>
  (await fetch(url, { headers })).text();

/** What is thrown now or later. */
const thrownBy = async (work: () => unknown): Promise<Error | undefined> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error as Error;
  }
};

describe('assertAllServed', () => {
  const NEVER = /^1 of 2 exchanges of "demo" was never served:\n {2}GET \/b, recorded 2026-11-20$/;

  it('passes where all was served, and lists what was not', async () => {
    const gate = await gateOf(['/a', '/b']);
    await get(`${gate.url}/a`);
    const error = await thrownBy(() => gate.assertAllServed());
    expect(error?.message).toMatch(NEVER);
    expect(error?.stack).toContain('create-test-gate.test.ts');
    await get(`${gate.session('any').url}/b`);
    await gate.assertAllServed();
    await gate.close();
  });

  it('of a session is about what was recorded in it', async () => {
    const recordings = temporaryFolder();
    const recorded = ['one', 'two'].map((session) =>
      exchange({ method: 'GET', path: '/a', requestHeaders: {}, answer: { json: session }, session }),
    );
    writeRecording(join(recordings, 'demo'), recorded);
    const gate = await replay({ recordings, recording: 'demo' });
    open.push(gate);
    const [one, two] = ['one', 'two'].map((name) => gate.session(name)) as [TestSession, TestSession];
    expect(await get(`${two.url}/a`)).toBe('"two"');
    await two.assertAllServed();
    expect((await thrownBy(() => one.assertAllServed()))?.message).toMatch(
      /^1 of 1 exchanges of "demo", recorded in the session "one", was never served:\n {2}GET \/a, recorded/,
    );
    expect((await thrownBy(() => gate.session('three').assertAllServed()))?.message).toBe(
      'nothing in "demo" was recorded in the session "three": record it anew, or ask the gate what was served in all',
    );
    one.assertAllServed();
    expect((await thrownBy(() => gate.close()))?.message).toContain('session "one"');
  });

  it('of a session that is new has others to thank, which is told at the end', async () => {
    const recordings = temporaryFolder();
    const recorded = {
      method: 'GET',
      path: '/a',
      requestHeaders: {},
      answer: { json: 1 },
      session: 'old name',
    };
    writeRecording(join(recordings, 'demo'), [exchange(recorded)]);
    const notices: string[] = [];
    const gate = await replay({ recordings, recording: 'demo', notice: (text) => notices.push(text) });
    expect(await get(`${gate.session('new name').url}/a`)).toBe('1');
    await gate.close();
    expect(notices.join()).toContain('1 request of the session "new name"');
  });

  it('is heard at the end where nobody waits for it, once', async () => {
    const gate = await gateOf(['/a', '/b']);
    await get(`${gate.url}/a`);
    gate.assertAllServed();
    const error = await thrownBy(() => gate.close());
    expect(error?.message).toMatch(NEVER);
    await gate.close();
    await gate[Symbol.asyncDispose]();
    expect((await thrownBy(() => fetch(gate.url)))?.message).toBe('fetch failed');
  });

  it('looks at once, not when it is waited for', async () => {
    const gate = await gateOf(['/a']);
    const check = gate.assertAllServed();
    expect((await thrownBy(() => check))?.message).toContain('1 of 1');
    await get(`${gate.url}/a`);
    expect((await thrownBy(() => check))?.message).toContain('1 of 1');
  });

  it('after the end is a mistake', async () => {
    const gate = await gateOf(['/a']);
    await gate.close();
    expect((await thrownBy(() => gate.assertAllServed()))?.message).toBe(
      'the gate is closed\n  ask what was served before it is closed',
    );
  });

  it('is what failUnused asks for', async () => {
    const gate = await gateOf(['/a', '/b'], { failUnused: true });
    await get(`${gate.url}/a`);
    expect((await thrownBy(() => gate.close()))?.message).toMatch(NEVER);
  });
});

describe('misses', () => {
  it('are what the recording could not answer, with what the client was told', async () => {
    const gate = await gateOf(['/a']);
    await get(`${gate.url}/a`);
    gate.assertNoMisses();
    const { detail, hint } = JSON.parse(await get(`${gate.url}/c?token=x`));
    await get(`${gate.session('s').url}/c?token=x`);
    expect(gate.misses()).toEqual([
      { method: 'GET', url: '/c?token=[redacted]', session: '', text: detail, hint, count: 1 },
      expect.objectContaining({ session: 's', text: detail }),
    ]);
    expect(gate.session('s').misses()).toHaveLength(1);
    gate.session('other').assertNoMisses();
    const error = await thrownBy(() => gate.assertNoMisses());
    expect(error?.message).toMatch(
      /^2 requests had no answer in the recording:\n {2}nothing is recorded for GET/,
    );
    expect(error?.message).toContain('PATCHGATE_RECORD=new_episodes PATCHGATE_TARGET=URL');
    expect(error?.stack?.split('\n').find((line) => /^ {4}at /.test(line))).toContain(
      'create-test-gate.test.ts',
    );
    gate.session('s').reset();
    expect(gate.misses()).toHaveLength(1);
  });
});

it('misses say what to do by options, which a test has, not by flags', async () => {
  const recordings = temporaryFolder();
  writeRecording(join(recordings, 'demo'), [exchange({ method: 'GET', path: '/a', query: 'page=1' })]);
  const gate = await replay({ recordings, recording: 'demo' });
  open.push(gate);
  await get(`${gate.url}/a?page=2`);
  const { message = '' } = (await thrownBy(() => gate.assertNoMisses())) ?? {};
  expect(message).toContain('if it may differ there: the option ignoreQuery page');
});

it('a miss after an answer out of a sequence may be for the order', async () => {
  const messageAfter = async (paths: string[]) => {
    const gate = await gateOf(paths);
    await get(`${gate.url}/a`);
    await get(`${gate.url}/a?other`);
    return (await thrownBy(() => gate.assertNoMisses()))?.message ?? '';
  };
  expect(await messageAfter(['/a', '/a'])).toContain('it may be the order, too');
  expect(await messageAfter(['/a'])).toMatch(/GET \/a(?!.*order)/s);
});

describe('misses that no test asks for', () => {
  const told = async (ask: (gate: TestGate) => unknown) => {
    const notices: string[] = [];
    const gate = await gateOf(['/a'], { notice: (text) => notices.push(text) });
    await get(`${gate.url}/b`);
    await get(`${gate.session('s').url}/c`);
    await ask(gate);
    await gate.close();
    return notices.join();
  };

  it('are told at the end: a client that fails of one may keep it to itself', async () => {
    expect(await told(() => undefined)).toMatch(/^2 requests had no answer.*GET \/b.*GET \/c.*session s/s);
  });

  it('are not told twice', async () => {
    expect(await told((gate) => gate.session('s').misses())).toMatch(/^1 request had no answer.*GET \/b/s);
    expect(await told((gate) => gate.misses())).toBe('');
    expect(await told((gate) => thrownBy(() => gate.assertNoMisses()))).toBe('');
    expect(await told((gate) => gate.reset())).toBe('');
  });

  it('fail the end where they are to', async () => {
    const notices: string[] = [];
    const gate = await gateOf(['/a'], { failOnMiss: true, notice: (text) => notices.push(text) });
    await get(`${gate.url}/b`);
    expect((await thrownBy(() => gate.close()))?.message).toMatch(/^1 request had no answer.*GET \/b/s);
    expect(notices).toEqual([]);
    const other = await gateOf(['/a'], { failOnMiss: true });
    await get(`${other.url}/b`);
    expect(other.misses()).toHaveLength(1);
    await get(`${other.url}/b`);
    expect((await thrownBy(() => other.close()))?.message).toMatch(/^1 request had no answer/);
    const asked = await gateOf(['/a'], { failOnMiss: true });
    await get(`${asked.url}/b`);
    expect(asked.misses()).toHaveLength(1);
    await asked.close();
    expect(await thrownBy(() => gateOf(['/a'], { failOnMiss: 'no' as never }))).toMatchObject({
      message: expect.stringContaining('failOnMiss cannot be "no"'),
    });
  });
});

describe('what is asked of a gate', () => {
  it.each([
    [{ method: 'PATCH' }, 'there is no filter "method"\n  there is: limit, outcome, session; by all else: '],
    [{ outcome: 'blocked' }, 'outcome cannot be "blocked"\n  it is "pass" or "block"'],
    [{ limit: '1' }, 'limit cannot be "1"\n  it is a whole number'],
  ])('filters by what there is: %j', async (filter, said) => {
    const gate = await gateOf(['/a']);
    expect(() => gate.exchanges(filter as never)).toThrow(`exchanges: ${said}`);
    expect(gate.exchanges({ limit: undefined })).toEqual([]);
  });

  it('is to be asked before it is closed', async () => {
    const gate = await gateOf(['/a']);
    const session = gate.session('one');
    await gate.close();
    for (const late of [
      () => gate.setFaults('reset'),
      () => session.setFaults([]),
      () => gate.session('two'),
    ])
      expect((await thrownBy(late))?.message).toMatch(/^the gate is closed\n {2}/);
    expect(gate.exchanges()).toEqual([]);
  });
});

describe('a session', () => {
  it('has its own place in a sequence and its own list, by its URL and by its header', async () => {
    const gate = await gateOf(['/a', '/a']);
    const one = gate.session('one');
    const two = gate.session("a suite/2: it's there");
    expect(one).toMatchObject({ name: 'one', url: `${gate.url}/__patchgate/session/one` });
    expect([await get(`${one.url}/a`), await get(`${gate.url}/a`, two.headers)]).toEqual(['1', '1']);
    expect([await get(`${one.url}/a`), await get(`${two.url}/a`)]).toEqual(['2', '2']);
    expect(await get(`${gate.url}/a`)).toBe('1');
    expect(one.exchanges().map(({ session }) => session)).toEqual(['one', 'one']);
    expect(two.exchanges({ limit: 1 })).toHaveLength(1);
    one.reset();
    expect(one.exchanges()).toEqual([]);
    expect(gate.exchanges()).toHaveLength(3);
    expect([await get(`${one.url}/a`), await get(`${two.url}/a`)]).toEqual(['1', '2']);
  });

  it('needs a name that the header could have', async () => {
    const gate = await gateOf(['/a']);
    for (const name of ['', '..', 'é', 'x'.repeat(101)])
      expect(() => gate.session(name)).toThrow(/cannot name a session\n {2}a name is 1 to 100 printable/);
  });

  it('is named by a test, as a recording is', async ({ task }) => {
    const gate = await gateOf(['/a']);
    expect(gate.session(task).name).toBe(recordingName(task));
    expect(await get(`${gate.session(expect.getState()).url}/a`)).toBe('1');
    for (const test of [undefined, {}, null])
      expect(() => gate.session(test as never)).toThrow(/^this is no test: it .*\n {2}give /);
  });

  it('has faults of its own', async () => {
    const gate = await gateOf(['/a']);
    const session = gate.session('one');
    await session.setFaults('status=503 count=1');
    const statusOf = async (base: string) => (await fetch(`${base}/a`)).status;
    expect([await statusOf(gate.url), await statusOf(session.url), await statusOf(session.url)]).toEqual([
      200, 503, 200,
    ]);
    await gate.setFaults(['status=500']);
    expect(await statusOf(gate.url)).toBe(500);
    await gate.setFaults([]);
    expect(await statusOf(gate.url)).toBe(200);
    const error = await thrownBy(() => gate.setFaults('stauts=503'));
    expect(error?.message).toContain('stauts');
    expect(error?.message).toContain('\n  ');
  });
});

describe('a session of a test that is tried again', () => {
  let gate: TestGate;
  let tries = 0;
  beforeAll(async () => {
    gate = await gateOf(['/a', '/a']);
    // All tries are its own.
    open.pop();
  });
  afterAll(() => gate.close());

  it('begins anew, once for each try', { retry: 2, repeats: 1 }, async ({ task }) => {
    const session = gate.session(task);
    expect(session.exchanges()).toEqual([]);
    expect(await get(`${session.url}/a`)).toBe('1');
    expect(await get(`${gate.session(task).url}/a`)).toBe('2');
    tries++;
    if (tries < 3) throw new Error('try again');
  });

  it('has begun each time', () => expect(tries).toBe(4));
});

describe('close', () => {
  it('tells of faults of its options that never happened', async () => {
    const notices: string[] = [];
    const notice = (text: string) => notices.push(text);
    const faults = ['/b status=503', '/a latency=1ms'];
    const gate = await gateOf(['/a'], { notice, fault: faults });
    await get(`${gate.session('one').url}/a`);
    gate.reset();
    await gate.close();
    const other = await gateOf(['/a'], { notice });
    await other.setFaults('/b status=503');
    await get(`${other.url}/a`);
    await other.close();
    expect(notices).toEqual([
      'the fault "/b status=503" never happened: it fitted no request that passed the gate',
    ]);
  });

  it('lets what is in flight finish, for all who wait for it', async () => {
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let arrived: () => void = () => undefined;
    const underWay = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const target = await startTarget((_, res) => {
      arrived();
      void held.then(() => res.end('whole'));
    });
    const gate = await proxy({ target: target.url });
    const asked = get(gate.url);
    await underWay;
    let isClosed = false;
    const closed = Promise.all([gate.close(), gate.close(), gate[Symbol.asyncDispose]()]).then(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    finish();
    expect(await asked).toBe('whole');
    await closed;
    await target.close();
  });
});
