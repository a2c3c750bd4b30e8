import { describe, expect, it } from 'vitest';
import { createFaults } from '../../src/server/faults.ts';
import type { UserConfig } from '../../src/settings/define-config.ts';
import { readFaults } from '../../src/settings/faults.ts';
import { refusal } from '../support/errors.ts';
import { gate } from '../support/gate.ts';
import { type InProcess, type Settings, startGate } from '../support/in-process.ts';
import { RawConnection, requestBytes, sendRaw, valuesOf } from '../support/raw.ts';

/** As a user writes them. */
type Given = Pick<UserConfig, 'fault'> & Omit<Settings, 'fault'>;

const start = (given: Given, kind?: 'proxy' | 'replay' | 'fake') =>
  startGate(given as unknown as Settings, kind);
const fake = (fault: UserConfig['fault'], given: Given = {}) => start({ fault, ...given }, 'fake');

const PROJECT = '/api/v2/accounts/current/projects/42';
const get = ({ port }: InProcess, path = PROJECT, session?: string) =>
  sendRaw(port, { path, headers: session === undefined ? [] : [['Patchgate-Session', session]] });
const statuses = async (gate: InProcess, times: number, session?: string) => {
  const got = [];
  for (let i = 0; i < times; i++) got.push((await get(gate, PROJECT, session)).status);
  return got;
};
const patch = ({ port }: InProcess, body: string) =>
  sendRaw(port, { method: 'PATCH', path: PROJECT, headers: [['Content-Type', 'application/json']], body });

describe('a status', () => {
  it('is answered instead, and says what it is', async () => {
    const gate = await fake(['GET /projects/* status=429 retry-after=2 count=1'], { log: 'text' });
    const response = await get(gate);
    const fault = 'GET /projects/* status=429 retry-after=2 count=1';
    expect([response.status, response.reason]).toEqual([429, 'Too Many Requests']);
    expect(valuesOf(response, 'retry-after')).toEqual(['2']);
    expect(valuesOf(response, 'patchgate-fault')).toEqual([fault]);
    expect(JSON.parse(String(response.body))).toMatchObject({
      type: 'urn:patchgate:problem:injected-fault',
      status: 429,
      fault,
    });
    expect((await get(gate)).status).toBe(200);
    expect([...gate.gate.exchanges.list()].map((one) => [one.answeredBy, one.fault, one.failure])).toEqual([
      ['fake', undefined, undefined],
      ['fault', fault, undefined],
    ]);
    await expect.poll(() => gate.log.join('')).toContain(` 429 not judged fault `);
    expect(gate.log.join('')).toContain(`: fault ${fault}\n`);
  });

  it('has the body that is given', async () => {
    const gate = await fake([
      'status=503 count=1 body=closed; later',
      'status=500 count=1 body={"a": 1}',
      'status=204 body=x',
    ]);
    const [text, json, none] = [await get(gate), await get(gate), await get(gate)];
    expect([valuesOf(text, 'content-type'), String(text.body)]).toEqual([
      ['text/plain; charset=utf-8'],
      'closed; later',
    ]);
    expect(valuesOf(json, 'content-type')).toEqual(['application/json']);
    expect(JSON.parse(String(json.body))).toEqual({ a: 1 });
    expect([none.status, none.body.length, valuesOf(none, 'content-length')]).toEqual([204, 0, []]);
  });

  it('is of an operation, judged or not', async () => {
    const gate = await fake('updateProject status=503', { validation: 'off' });
    expect((await patch(gate, '{}')).status).toBe(503);
    expect((await get(gate)).status).toBe(200);
  });
});

describe('a reset', () => {
  const codeOf = (url: string) =>
    fetch(url).then(
      () => 'answered',
      (error: Error) => (error.cause as { code?: string }).code,
    );

  it('breaks the connection before a byte', async () => {
    const gate = await fake('reset count=1');
    expect(await codeOf(gate.url + PROJECT)).toBe('ECONNRESET');
    expect(await codeOf(gate.url + PROJECT)).toBe('answered');
    const [, first] = [...gate.gate.exchanges.list()];
    expect(first).toMatchObject({ fault: 'reset count=1', failure: 'the connection was reset by a fault' });
    expect(first?.response).toBeUndefined();
  });
});

describe('latency', () => {
  it.each(['latency=24h', 'status=503 latency=24h', 'reset latency=24h'])(
    'ends with its client: %s',
    async (fault) => {
      const gate = await fake(fault);
      const connection = await RawConnection.open(gate.port);
      connection.write(requestBytes({ path: PROJECT }));
      await expect.poll(() => gate.gate.faults.list()).toMatchObject([{ applied: 1 }]);
      connection.close();
      await expect.poll(() => [...gate.gate.exchanges.list()][0]?.failure).toContain('the client went away');
    },
  );

  it.each([
    ['status=503 latency=24h', 'HTTP/1.1 503', undefined],
    ['reset latency=24h', '', 'ECONNRESET'],
  ])('is over when the gate closes: %s', async (given, got, code) => {
    const gate = await fake(given);
    const connection = await RawConnection.open(gate.port);
    let failed: string | undefined;
    connection.socket.on('error', (error: NodeJS.ErrnoException) => {
      failed = error.code;
    });
    connection.write(requestBytes({ path: PROJECT }));
    await expect.poll(() => gate.gate.faults.list()).toMatchObject([{ applied: 1 }]);
    await gate.gate.close();
    await connection.closed();
    expect([connection.rest.toString('latin1').slice(0, 12), failed]).toEqual([got, code]);
  });

  it('of an answer that no upstream gives keeps no other change of the record waiting', async () => {
    const gate = await fake('updateProject status=503 latency=24h count=1', { guard: 'on' });
    const project = JSON.parse(String((await get(gate)).body));
    // Whoever creates an environment has the record alone.
    project.environments.push({ id: 99, name: 'New', isEnabled: false });
    const body = JSON.stringify(project);
    const headers = [['Content-Type', 'application/json']] as const;
    const connection = await RawConnection.open(gate.port);
    connection.write(requestBytes({ method: 'PATCH', path: PROJECT, headers, body }));
    await expect.poll(() => gate.gate.faults.list()).toMatchObject([{ applied: 1 }]);
    expect((await patch(gate, body)).status).toBe(200);
    connection.close();
  });
});

const SESSION = { id: 1, name: '' };
const faultsOf = (...texts: string[]) =>
  createFaults(gate(), readFaults(texts, 'fault'), new AbortController().signal);

it.each([
  ['reset', 'HEAD', '/x', true],
  ['GET reset', 'HEAD', '/x', false],
  ['/projects/* reset', 'GET', '/api/v2/accounts/current/projects/42?x=/y', true],
  ['/accounts/*/projects/4? reset', 'GET', 'http://a.example/accounts/1/projects/43/', true],
  ['/projects/*2 reset', 'GET', '/projects/42/x', false],
  ['/projects/* reset', 'GET', '/other?/projects/42', false],
  ['updateProject reset', 'PATCH', PROJECT, true],
  ['updateProject reset', 'PATCH', '/api/v2/accounts/current/features/7', false],
])('%s fits %s %s: %s', async (fault, method, url, fits) => {
  const faults = faultsOf(fault);
  expect(faults.choose(SESSION, { method, url, headers: [] })?.text).toBe(fits ? fault : undefined);
});

it('one with a rate is drawn, and one with a count happens so often in each session', async () => {
  const faults = faultsOf('reset rate=0', 'status=503 rate=0.3 count=5000', 'status=500 count=1');
  const head = { method: 'GET', url: '/x', headers: [] };
  const drawn = Array.from({ length: 10_000 }, () => faults.choose(SESSION, head)?.text);
  expect(drawn.filter((text) => text?.includes('503')).length / 10_000).toBeCloseTo(0.3, 1);
  expect(drawn.filter((text) => text?.includes('500 ')).length).toBe(1);
  expect(faults.choose({ id: 2, name: 'b' }, head)).toBeDefined();
});

describe('the faults of a run', () => {
  it('are those of the start, others that were set, or none', async () => {
    const gate = await fake('status=503');
    const { faults } = gate.gate;
    expect(await statuses(gate, 1)).toEqual([503]);
    faults.set(['status=500 count=1']);
    expect(await statuses(gate, 2)).toEqual([500, 200]);
    expect(faults.list()).toEqual([{ fault: 'status=500 count=1', matched: 2, applied: 1 }]);
    faults.set([]);
    expect(await statuses(gate, 1)).toEqual([200]);
    gate.gate.reset();
    expect(await statuses(gate, 1)).toEqual([503]);
  });

  it('happen so often in each session, and are counted in all', async () => {
    const gate = await fake('status=503 count=1');
    for (const session of ['a', 'b', undefined]) expect(await statuses(gate, 2, session)).toEqual([503, 200]);
    expect(gate.gate.faults.list()).toMatchObject([{ matched: 6, applied: 3 }]);
    gate.gate.reset('a');
    expect(await statuses(gate, 1, 'a')).toEqual([503]);
    expect(await statuses(gate, 1, 'b')).toEqual([200]);
  });

  it('are refused whole, where one is wrong', async () => {
    const gate = await fake('status=503');
    const { faults } = gate.gate;
    const refused = (given: string) => refusal('bad-input', () => faults.set(given));
    expect(refused('reset; updatProject reset')).toContain('no operation or method updatProject');
    expect(refused('get reset')).toContain('(did you mean "GET"?)');
    expect(await statuses(gate, 1)).toEqual([503]);
  });
});
