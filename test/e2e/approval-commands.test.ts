/** Approvals from the terminal, and a chat that is told of them: the packed program in front of a service that really deletes. */
import { expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { fileOf, makeAuthority, makeCertificate } from '../support/certificates.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { startGate as startInProcess } from '../support/in-process.ts';
import { runHere } from '../support/run-here.ts';
import { patch, project, startService } from '../support/service.ts';
import { soon } from '../support/soon.ts';
import { freePort, startTarget } from '../support/target.ts';

const BOTH = project('1 Production', '2 Staging');
const ONE = project('1 Production');
const REQUEST = 'PATCH /api/v2/accounts/current/projects/42';
const LOST = '    - environment 2 "Staging" will be deleted permanently\n';
const APPROVERS = { ANNA: 'token-of-anna', PATCHGATE_APPROVERS: 'anna=env:ANNA' };
const ANNA = 'token-of-anna';

async function startGate(args: readonly string[] = [], env: Record<string, string> = {}) {
  const service = await startService();
  const gate = await startBinary(['proxy', service.target.url, '--no-state', ...args], { env });
  await patch(gate.url, BOTH);
  return { service, gate };
}

/** As somebody types it who has that token. */
const type = ({ url }: Pick<Running, 'url'>, words: string, token?: string) =>
  runHere([...words.split(' '), '--gate', url], {
    env: token === undefined ? {} : { PATCHGATE_CONTROL_TOKEN: token },
  });

const send = ({ url }: Running, approve?: string) =>
  patch(url, ONE, approve === undefined ? {} : { headers: { 'Patchgate-Approve': approve } });

it('one asks, another one approves, and the token works', async () => {
  const { service, gate } = await startGate([], APPROVERS);
  expect((await type(gate, 'approvals', ANNA)).stdout).toBe('nothing waits for a decision\n');
  const { approval = '', approve } = (await send(gate)).json;
  const listed = await type(gate, 'approvals', ANNA);
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(
    new RegExp(`^${approval} +(?:9m|10m) +\\d+s ago +- +127.0.0.1 +${REQUEST}$`, 'm'),
  );
  expect(listed.stdout).toContain(LOST);
  expect(listed.stdout).toContain(
    'only approvers decide, each with their own token in PATCHGATE_CONTROL_TOKEN',
  );

  const unnamed = await type(gate, `approve ${approval}`);
  expect(unnamed).toMatchObject({ code: 2, stdout: '' });
  expect(unnamed.stderr).toMatch(
    /only an approver .*\n {2}.*\(patchgate sends the token in PATCHGATE_CONTROL_TOKEN\)\n$/,
  );
  expect((await send(gate, approve)).status).toBe(409);

  const approved = await type(gate, `approve ${approval} --reason agreed`, ANNA);
  expect(approved).toMatchObject({ code: 0, stderr: '' });
  expect(approved.stdout).toMatch(
    new RegExp(
      `^approved ${approval}: ${REQUEST}\\n${LOST}its client can send the PATCH again .*, for \\d+m\\n$`,
    ),
  );
  expect((await send(gate, approve)).status).toBe(200);
  expect(service.deleted).toEqual(['42: 2 Staging']);
  const all = JSON.parse((await type(gate, 'approvals --format json', ANNA)).stdout);
  expect(all).toMatchObject({
    approvers: true,
    approvals: [{ id: approval, status: 'used', decidedBy: 'anna', reason: 'agreed' }],
  });
  expect(JSON.stringify(all)).not.toContain(approve);
});

it('a PATCH that is held goes on, or is declined', async () => {
  const { service, gate } = await startGate(['--hold', '1m'], APPROVERS);
  /** The id is in the list of the command once the PATCH waits. */
  const idOfHeld = () =>
    soon(async () => {
      const { stdout } = await type(gate, 'approvals', ANNA);
      return (/^(\S+) +(?:1m|\d+s) +\d+s ago +yes /m.exec(stdout) as RegExpExecArray)[1] as string;
    });
  const first = send(gate);
  const declined = await type(gate, `decline ${await idOfHeld()} --reason never`, ANNA);
  expect(declined).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^declined .*\n.*permanently\n$/),
  });
  expect((await first).json.detail).toContain('was declined by anna: never');
  const second = send(gate);
  const approved = await type(gate, `approve ${await idOfHeld()}`, ANNA);
  expect(approved.stdout).toContain('its client waits, and the gate judges the PATCH again now\n');
  expect((await second).status).toBe(200);
  expect(service.deleted).toEqual(['42: 2 Staging']);
});

it('what cannot be done says why: exit code 2', async () => {
  const { gate } = await startGate([], { PATCHGATE_CONTROL_TOKEN: 'c0ntrol' });
  const { approval } = (await send(gate)).json;
  await type(gate, `decline ${approval}`, 'c0ntrol');
  const nowhere = { url: `http://127.0.0.1:${await freePort()}` };
  const cases: [words: string, at: Pick<Running, 'url'>, token: string | undefined, said: string][] = [
    ['approvals', gate, undefined, 'needs a token'],
    ['approvals', gate, 'other', 'does not know the token'],
    ['approve zzzzzzzz', gate, 'c0ntrol', 'there is no approval zzzzzzzz'],
    [`approve ${approval}`, gate, 'c0ntrol', `the approval ${approval} is not pending: it was declined`],
    ['approve ../events', gate, 'c0ntrol', '"../events" is no id of an approval'],
    ['approvals', nowhere, undefined, 'no gate answers at http://127.0.0.1:'],
    ['approvals', gate, 'two words', 'the token has spaces'],
  ];
  for (const [words, at, token, said] of cases) {
    const { code, stdout, stderr } = await type(at, words, token);
    expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).toMatch(/^patchgate: .*\n {2}.*\n$/);
  }
});

it('trusts the authority that it is given', async () => {
  const { cert, key } = await makeCertificate(['127.0.0.1']);
  const tls = { tlsCert: fileOf(cert), tlsKey: fileOf(key) };
  const { url } = await startInProcess({ target: (await startService()).target.url, ...tls });
  expect(await type({ url }, `approvals --ca ${fileOf(cert)}`)).toMatchObject({
    ...{ code: 0, stdout: 'nothing waits for a decision\n', stderr: '' },
  });
  const { code, stderr } = await type({ url }, 'approvals');
  expect(code).toBe(2);
  expect(stderr).toContain('give the file of its authority: --ca FILE');
});

it('looks for the gate where the config has it', async () => {
  const { gate } = await startGate();
  const { code, stdout } = await runHere(['approvals'], { env: { PATCHGATE_PORT: String(gate.port) } });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'nothing waits for a decision\n' });
});

it('a chat is told of what waits, and its address is shown nowhere', async () => {
  const chat = await startTarget();
  const env = { PATCHGATE_APPROVAL_WEBHOOK: `${chat.url}/services/hush` };
  const { gate } = await startGate(['--hold', '1m'], env);
  const waiting = send(gate);
  await expect.poll(() => chat.received).toHaveLength(1);
  const { id, text, ...told } = JSON.parse(String(chat.received[0]?.body));
  expect(text).toContain(`\`${REQUEST}\` would delete 1 environment and waits for approval`);
  expect(told).toEqual({
    ...{ method: 'PATCH', path: REQUEST.split(' ')[1], expiresAt: expect.any(String) },
    record: { account: 'current', kind: 'project', id: '42' },
    effects: [{ kind: 'environment-deleted', id: 2, name: 'Staging' }],
  });
  await new Promise<void>((resolve) => chat.server.close(() => resolve()).closeAllConnections());
  const declined = await type(gate, `decline ${id}`);
  expect(declined.code).toBe(0);
  expect((await waiting).status).toBe(409);
  const next = send(gate);
  await gate.said('THE APPROVAL WEBHOOK FAILS: ECONNREFUSED.', 'stderr');
  const { stderr, stdout } = await gate.stop('SIGTERM');
  expect((await next).json.approve).toBeDefined();
  expect(stderr).toContain('tells a webhook of pending approvals');
  const config = await runHere(['config', 'proxy'], { env });
  expect(config.stdout).toContain('approvalWebhook  [redacted]');
  expect(stdout + stderr + config.stdout).not.toMatch(/hush/);
});

it('a chat over TLS is told by the proxy of the environment', async () => {
  const authority = await makeAuthority();
  const chat = await startTarget(undefined, await makeCertificate(['chat.test'], { authority }));
  const proxy = await startConnectProxy({ credentials: 'me:s3cret' });
  const { gate } = await startGate([], {
    PATCHGATE_APPROVAL_WEBHOOK: `https://chat.test:${chat.port}/services/hush`,
    HTTPS_PROXY: proxy.url.replace('//', '//me:s3cret@'),
    NODE_EXTRA_CA_CERTS: fileOf(authority.cert),
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  });
  for (const count of [1, 2]) {
    expect((await send(gate)).status).toBe(409);
    await expect.poll(() => chat.received).toHaveLength(count);
  }
  expect(chat.received[0]).toMatchObject({ method: 'POST', url: '/services/hush' });
  expect(proxy.asked).toEqual([`chat.test:${chat.port}`]);
  expect((await gate.stop('SIGTERM')).stderr).not.toMatch(/WEBHOOK FAILS|s3cret|hush/);
});

it('a chat has been told of what waits when the gate has stopped', async () => {
  let answerFirst: () => void = () => undefined;
  const chat = await startTarget((_req, res) => {
    if (chat.received.length > 1) res.end();
    else answerFirst = () => res.end();
  });
  const service = await startService();
  const { url, gate } = await startInProcess({ target: service.target.url, approvalWebhook: chat.url });
  await patch(url, BOTH);
  for (let i = 0; i < 3; i++) expect((await patch(url, ONE)).status).toBe(409);
  const closed = gate.close();
  await soon(() => expect(fetch(url)).rejects.toThrow());
  answerFirst();
  await closed;
  expect(chat.received).toHaveLength(3);
});

it('a chat is not told of what a fake or a replay blocks', async () => {
  const { code, stderr } = await runHere(['fake', '--approval-webhook', 'https://chat.test']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('unknown option --approval-webhook'),
  });
  const chat = await startTarget();
  const env = { PATCHGATE_APPROVAL_WEBHOOK: chat.url };
  const gate = await startBinary(['fake', '--guard', 'on'], { env });
  await patch(gate.url, BOTH);
  expect((await send(gate)).status).toBe(409);
  expect((await gate.stop('SIGTERM')).stderr).not.toContain('webhook');
  expect(chat.received).toEqual([]);
});
