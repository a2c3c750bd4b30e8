import { expect, it } from 'vitest';
import { reloadedConfig } from '../../src/app/reload.ts';
import type { Config } from '../../src/settings/config.ts';
import { resolveConfig } from '../../src/settings/config.ts';
import { contractFolder } from '../support/contract-folder.ts';
import { type GOOD_PROJECT, JSON_TYPE } from '../support/e2e-bodies.ts';
import { FEATURE_URL } from '../support/gate.ts';
import { startGate } from '../support/in-process.ts';
import { RawConnection, requestBytes, sendRaw } from '../support/raw.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function configOf(given: Record<string, unknown> = {}): Promise<Config> {
  return (await resolveConfig(given, { guard: 'on' }, {}, temporaryFolder())).config;
}

const normalized = (text: string) => ({ normalizeRequest: new Function('request', text) });

it.each<[what: string, given: object, taken: Partial<Config>, needRestart: string[]]>([
  ['nothing', {}, {}, []],
  ['a validation', { validation: 'warn' }, { validation: 'warn' }, []],
  ['a guard', { guard: 'strict' }, { guard: 'strict' }, []],
  ['names', { protect: 'a', allowDelete: 'b' }, { protect: ['a'], allowDelete: ['b'] }, []],
  ['severities', { rules: { 'schema.type': 'off' } }, { rules: { 'schema.type': 'off' } }, []],
  ['a limit', { bodyLimit: '1KiB', unlisted: 'block' }, { bodyLimit: 1024, unlisted: 'block' }, []],
  ['a port', { port: 1, bodyLimit: 1 }, { port: 4010, bodyLimit: 1 }, ['port']],
  ['a list', { redact: ['pin'] }, { redact: [] }, ['redact']],
  ['what the server does not go by', { baseline: 'x.json' }, {}, []],
  ['a function that does the same', normalized('return request'), {}, []],
  ['a function that does not', normalized('return 1'), {}, ['normalizeRequest']],
])('of another config, a server takes what it judges by: %s', async (_, given, taken, needRestart) => {
  const first = await configOf(normalized('return request'));
  const next = await configOf({ ...normalized('return request'), ...given });
  const heeded = ['port', 'redact', 'validation'];
  const reloaded = reloadedConfig(first, next, heeded, true);
  expect(reloaded.needRestart).toEqual(needRestart);
  expect(reloaded.config).toMatchObject(taken);
});

it('a server that was started to judge nothing, and learns nothing, is not made to look like a guard', async () => {
  const off = await configOf({ validation: 'off', guard: 'off' });
  const next = await configOf({ validation: 'enforce', guard: 'on' });
  const { config, needRestart } = reloadedConfig(off, next, ['validation', 'guard'], false);
  expect(config).toMatchObject({ validation: 'off', guard: 'off' });
  expect(needRestart).toEqual(['validation', 'guard']);
});

it('a request is judged by the config that it began with, and the next one by the new config', {
  tags: 'slow',
}, async () => {
  const target = await startTarget();
  const { port, gate, notices } = await startGate({ target: target.url });
  const request = { method: 'PATCH', path: FEATURE_URL, headers: [JSON_TYPE], body: '{"variables": 5}' };
  const bytes = requestBytes(request).toString();
  const client = await RawConnection.open(port);
  const at = bytes.length - 4;
  client.write(bytes.slice(0, at));
  // The server has what was sent before this.
  expect((await sendRaw(port, request)).status).toBe(422);
  await gate.reload(() => configOf({ target: target.url, validation: 'off' }), []);
  expect((await sendRaw(port, request)).status).toBe(200);
  client.write(bytes.slice(at));
  expect((await client.response('PATCH')).status).toBe(422);
  client.close();
  expect(notices.filter((text) => text.includes('reloaded'))).toEqual(['reloaded: validation off, guard on']);
});

it('the token of a 409 approves the same request after a reload', { tags: 'slow' }, async () => {
  const { url, gate } = await startGate({}, 'fake');
  const restart = () => gate.reload(() => configOf({ guard: 'on' }), []);
  await restart();
  const at = `${url}/api/v2/accounts/current/projects/42`;
  const { name, languages, environments } = (await (await fetch(at)).json()) as typeof GOOD_PROJECT;
  const body = JSON.stringify({ name, languages, environments: environments.slice(1) });
  const patch = (approve?: string) =>
    fetch(at, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', ...(approve && { 'patchgate-approve': approve }) },
      body,
    });
  const blocked = await patch();
  expect(blocked.status).toBe(409);
  const { approve } = (await blocked.json()) as { approve: string };
  await restart();
  expect((await patch(approve)).status).toBe(200);
});

it('reloads follow one another, and one that fails leaves all as it was', { tags: 'slow' }, async () => {
  const faults = [{ operation: 'updateDraft', reset: true as const }];
  const { url, gate, notices } = await startGate({ faults }, 'fake');
  const fails = async (): Promise<Config> => {
    throw new Error('no such file');
  };
  await Promise.all([
    gate.reload(() => configOf({ validation: 'warn' }), []),
    gate.reload(fails, []),
    gate.reload(() => configOf({ validation: 'off', contract: contractFolder() }), []),
    gate.reload(() => configOf({ validation: 'off', rules: { 'no.such': 'off' } }), []),
  ]);
  const [first, ...others] = notices.slice(-4);
  expect(first).toBe('reloaded: validation warn, guard on');
  for (const [index, why] of [
    'no such file',
    'fault "updateDraft reset": the contract has no operation updateDraft',
    'no.such',
  ].entries()) {
    expect(others[index]).toMatch(/^not reloaded, all stays in force as it was: /);
    expect(others[index]).toContain(why);
  }
  const health = await (await fetch(`${url}/__patchgate/health`)).json();
  expect(health).toMatchObject({ validation: 'warn' });
});

it('a server in front of a real service is not made to protect without its guard', async () => {
  const target = await startTarget();
  const { gate, notices } = await startGate({ target: target.url, guard: 'off' });
  await gate.reload(() => configOf({ target: target.url, guard: 'off', protect: 'Production' }), []);
  expect(notices.at(-1)).toContain('not reloaded, all stays in force as it was: without the guard');
});
