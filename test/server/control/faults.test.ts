import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeGates, type InProcess, startGate } from '../../support/in-process.ts';

let gate: InProcess;

beforeAll(async () => {
  gate = await startGate({ faultSeed: 3 }, 'fake');
});
afterAll(closeGates);

const FAULTS = '/__patchgate/faults';

async function call(line: string, body?: unknown, headers: Record<string, string> = {}) {
  const [method = '', path = ''] = line.split(' ');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(gate.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: text }),
  });
  return {
    status: response.status,
    allow: response.headers.get('allow'),
    json: (await response.json()) as Record<string, unknown>,
  };
}

const statusOf = async (headers: Record<string, string> = {}) =>
  (await fetch(`${gate.url}/api/v2/accounts/current/projects/42`, { headers })).status;

it('puts faults in place, shows what was counted, and takes them away', async () => {
  expect((await call(`GET ${FAULTS}`)).json).toEqual({ seed: 3, faults: [] });
  const put = await call(`PUT ${FAULTS}`, {
    seed: 42,
    latency: '1ms..2ms',
    faults: ['GET status=503 count=1'],
  });
  expect([put.status, put.json]).toEqual([
    200,
    {
      seed: 42,
      latency: '1ms..2ms',
      faults: [{ fault: 'GET status=503 count=1', matched: 0, applied: 0 }],
    },
  ]);
  expect([await statusOf(), await statusOf()]).toEqual([503, 200]);
  expect((await call(`GET ${FAULTS}`)).json).toMatchObject({ faults: [{ matched: 2, applied: 1 }] });
  expect((await call(`DELETE ${FAULTS}`)).json).toEqual({ seed: 42, faults: [] });
});

it('does so for one session, which the query or the header names', async () => {
  const named = { 'Patchgate-Session': 'a' };
  expect((await call(`PUT ${FAULTS}?session=a`, ['status=500'])).json).toMatchObject({ session: 'a' });
  expect([await statusOf(named), await statusOf()]).toEqual([500, 200]);
  expect((await call(`GET ${FAULTS}`, undefined, named)).json).toMatchObject({
    session: 'a',
    faults: [{ applied: 1 }],
  });
  expect((await call(`DELETE ${FAULTS}`, undefined, named)).json).not.toHaveProperty('session');
  expect(await statusOf(named)).toBe(200);
});

it('takes them away with a reset', async () => {
  await call(`PUT ${FAULTS}`, { faults: 'status=500' });
  expect(await statusOf()).toBe(500);
  await fetch(`${gate.url}/__patchgate/reset`, { method: 'POST' });
  expect(await statusOf()).toBe(200);
});

it.each<[string, unknown, string]>([
  ['PUT', '{', 'the input is not a JSON text'],
  ['PUT', { faults: [{ status: 503, rate: 2 }] }, 'faults[0].rate: 2 is not taken'],
  ['PUT', { faults: ['updateProjct reset'] }, 'the contract has no operation updateProjct'],
  ['PUT', { latency: 'recorded' }, 'nothing is replayed here'],
])('refuses %s %j', async (method, body, says) => {
  const { status, json } = await call(`${method} ${FAULTS}`, body);
  expect(status).toBe(400);
  expect(json.detail).toContain(says);
});

it('refuses other methods, and parameters', async () => {
  expect(await call(`POST ${FAULTS}`, {})).toMatchObject({ status: 405, allow: 'GET, HEAD, PUT, DELETE' });
  expect((await call(`PUT ${FAULTS}?sesion=a`, [])).status).toBe(400);
  expect((await call(`PUT ${FAULTS}?session=.`, [])).json.detail).toContain('no session of that name');
});
