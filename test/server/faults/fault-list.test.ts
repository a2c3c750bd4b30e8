import { describe, expect, it } from 'vitest';
import { FaultList } from '../../../src/server/faults/fault-list.ts';
import { readFaults } from '../../../src/settings/faults.ts';

const operationOf = ({ method, url }: { method: string; url: string }) =>
  method === 'PATCH' && url.includes('/projects/') ? 'updateProject' : undefined;

function listOf(faults: string[]): Promise<FaultList> {
  return FaultList.of(readFaults(faults, 'faults'), operationOf);
}

let sessions = 0;
const session = (name = 'a') => ({ id: ++sessions, name });
const get = (url: string, method = 'GET') => ({ method, url, headers: [] });

/** What happens to so many requests of a session that is new. */
function run(list: FaultList, times: number, name = 'a', head = get('/x')) {
  const one = session(name);
  return Array.from({ length: times }, () => list.choose(one, head));
}

const texts = (list: FaultList, times: number, name?: string) =>
  run(list, times, name).map((fault) => fault?.text);

describe('which requests a fault is for', () => {
  it.each([
    ['reset', 'GET', '/x', true],
    ['GET reset', 'GET', '/x', true],
    ['GET reset', 'HEAD', '/x', false],
    ['/projects/* reset', 'GET', '/api/v2/accounts/current/projects/42?x=/y', true],
    ['/accounts/*/projects/{42,43} reset', 'GET', 'http://a.example/accounts/1/projects/43/', true],
    ['/projects/* reset', 'GET', '/projects/42/x', false],
    ['/projects/* reset', 'GET', '/other?/projects/42', false],
    ['updateProject reset', 'PATCH', '/projects/42', true],
    ['updateProject reset', 'PATCH', '/features/42', false],
    ['PATCH /projects/** reset', 'GET', '/projects/42', false],
  ])('%s: %s %s is one: %s', async (text, method, url, isOne) => {
    const list = await listOf([text]);
    expect(list.choose(session(), get(url, method)) !== undefined).toBe(isOne);
  });
});

describe('when a fault happens', () => {
  it('happens so often at most, and then the next one does', async () => {
    const [a, b] = ['reset count=2', 'status=503 count=1'];
    expect(texts(await listOf([a, b]), 4)).toEqual([a, a, b, undefined]);
  });

  it('is counted in each session by itself', async () => {
    const list = await listOf(['reset count=1']);
    const [one, two] = [session('a'), session('a')];
    expect(list.choose(one, get('/x'))).toBeDefined();
    expect(list.choose(one, get('/x'))).toBeUndefined();
    expect(list.choose(two, get('/x'))).toBeDefined();
    expect(list.counted([one])).toEqual([{ matched: 2, applied: 1 }]);
    expect(list.counted([one, two, session()])).toEqual([{ matched: 3, applied: 2 }]);
  });

  it('is known of those that never did, whatever sessions came and went', async () => {
    const faults = ['GET /y reset count=1', 'GET reset rate=0', 'PUT reset', 'GET /z reset'];
    const list = await listOf(faults);
    const idle = () =>
      list.neverHappened().map(({ fault, matched, isBehindOthers }) => [fault, matched, isBehindOthers]);
    expect(idle()).toEqual([]);
    list.choose(session('a'), get('/x'));
    list.choose(session('b'), get('/x'));
    expect(idle()).toEqual([
      [faults[0], 0, false],
      [faults[1], 2, false],
      [faults[2], 0, false],
      [faults[3], 0, false],
    ]);
    run(list, 3, 'a', get('/y'));
    expect(idle()).toEqual([
      [faults[1], 4, true],
      [faults[2], 0, true],
      [faults[3], 0, true],
    ]);
    expect(list.neverHappened()[0]).toMatchObject({ rate: 0 });
  });

  it('with a rate is drawn', async () => {
    const share = texts(await listOf(['reset rate=0.3']), 10_000).filter(Boolean).length / 10_000;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
  });

  it('never does with a rate of 0, and always with 1', async () => {
    expect(texts(await listOf(['reset rate=0', 'status=503 rate=1']), 2)).toEqual([
      'status=503 rate=1',
      'status=503 rate=1',
    ]);
  });
});

describe('how long an answer waits', () => {
  const delays = (list: FaultList, times: number) => run(list, times).map((fault) => fault?.delay);

  it('is as its fault says', async () => {
    expect(delays(await listOf(['reset latency=5ms count=1', 'status=503 count=1']), 3)).toEqual([
      5,
      0,
      undefined,
    ]);
  });

  it('is drawn from a range', async () => {
    const drawn = delays(await listOf(['latency=50ms..60ms']), 100) as number[];
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...drawn)).toBeLessThan(60);
    expect(new Set(drawn).size).toBeGreaterThan(90);
  });
});
