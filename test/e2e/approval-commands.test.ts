/** Approvals from the terminal: the packed program in front of a service that really deletes. */
import { expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { fileOf, makeCertificate } from '../support/certificates.ts';
import { startGate as startInProcess } from '../support/in-process.ts';
import { runHere } from '../support/run-here.ts';
import { patch, project, startService } from '../support/service.ts';
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
  expect((await type(gate, 'approvals list', ANNA)).stdout).toBe('nothing waits for a decision\n');
  const { approval = '', approve } = (await send(gate)).json;
  const listed = await type(gate, 'approvals list', ANNA);
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(new RegExp(`^${approval} +(?:9m|10m) +127.0.0.1 +${REQUEST}$`, 'm'));
  expect(listed.stdout).toContain(LOST);
  expect(listed.stdout).toContain(
    'only approvers decide, each with their own token in PATCHGATE_CONTROL_TOKEN',
  );

  const unnamed = await type(gate, `approvals approve ${approval}`);
  expect(unnamed).toMatchObject({ code: 2, stdout: '' });
  expect(unnamed.stderr).toMatch(
    /only an approver .*\n {2}.* as an approver your own, in PATCHGATE_CONTROL_TOKEN\n$/,
  );
  expect((await send(gate, approve)).status).toBe(409);

  const approved = await type(gate, `approvals approve ${approval} --reason agreed`, ANNA);
  expect(approved).toMatchObject({ code: 0, stderr: '' });
  expect(approved.stdout).toMatch(
    new RegExp(
      `^approved ${approval}: ${REQUEST}\\n${LOST}its client can send the PATCH again .*, for \\d+m\\n$`,
    ),
  );
  expect((await send(gate, approve)).status).toBe(200);
  expect(service.deleted).toEqual(['42: 2 Staging']);
  const all = JSON.parse((await type(gate, 'approvals list --format json', ANNA)).stdout);
  expect(all).toMatchObject({
    approvers: true,
    approvals: [{ id: approval, status: 'used', decidedBy: 'anna', reason: 'agreed' }],
  });
  expect(JSON.stringify(all)).not.toContain(approve);
});

it('what cannot be done says why: exit code 2', async () => {
  const { gate } = await startGate([], { PATCHGATE_CONTROL_TOKEN: 'c0ntrol' });
  const { approval } = (await send(gate)).json;
  await type(gate, `approvals decline ${approval}`, 'c0ntrol');
  const nowhere = { url: `http://127.0.0.1:${await freePort()}` };
  const cases: [words: string, at: Pick<Running, 'url'>, token: string | undefined, said: string][] = [
    ['approvals list', gate, undefined, 'token'],
    ['approvals list', gate, 'other', 'token'],
    ['approvals approve zzzzzzzz', gate, 'c0ntrol', 'there is no approval zzzzzzzz'],
    [
      `approvals approve ${approval}`,
      gate,
      'c0ntrol',
      `the approval ${approval} is not pending: it was declined`,
    ],
    ['approvals approve ../events', gate, 'c0ntrol', '"../events" is no id of an approval'],
    ['approvals list', nowhere, undefined, 'no gate answers at http://127.0.0.1:'],
    ['approvals list', gate, 'two words', 'the token has spaces'],
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
  expect(await type({ url }, `approvals list --ca ${fileOf(cert)}`)).toMatchObject({
    ...{ code: 0, stdout: 'nothing waits for a decision\n', stderr: '' },
  });
  const { code, stderr } = await type({ url }, 'approvals list');
  expect(code).toBe(2);
  expect(stderr).toContain('give the file of its authority: --ca FILE');
});

it('what comes from a gate steers no terminal', async () => {
  const evil = '\u001b[2J\u202ex\n';
  const one = {
    id: evil,
    url: evil,
    method: evil,
    client: evil,
    status: 'pending',
    requestedAt: '',
    expiresAt: '',
  };
  const effects = [{ kind: 'environment-deleted', id: 1, name: evil }];
  const gate = await startTarget((_req, res) =>
    res.end(JSON.stringify({ approvals: [{ ...one, effects }] })),
  );
  for (const format of ['text', 'json']) {
    const { code, stdout } = await runHere(['approvals', 'list', '--gate', gate.url, '--format', format]);
    expect(code).toBe(0);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});
