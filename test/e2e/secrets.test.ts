/** Secrets in all places where they may stand: none reaches a file, the log, the audit, an answer or the control API. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { GOOD_PROJECT, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startRecorder } from '../support/in-process.ts';
import { type RawRequest, sendRaw } from '../support/raw.ts';
import { type Answer, startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FORM: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded'];
const base64url = (text: string) => Buffer.from(text).toString('base64url');
const JWT = `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url('{"sub":"4711"}')}.c2lnbmF0dXJl`;

/** Everything that must not be found. */
const planted: string[] = [];

function plant(text: string): string {
  planted.push(text);
  return text;
}

function post(path: string, type: string, body: string | Buffer, ...headers: [string, string][]): RawRequest {
  return { method: 'POST', path, headers: [['Content-Type', type], ...headers], body };
}

/** Names and bytes of all files below a folder, and what stands in them in base64. */
function everythingIn(folder: string): string {
  const named = (name: string) =>
    name.replace(/\+([a-z])/g, (_, letter: string) => letter.toUpperCase()).replaceAll('~5f', '_');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((one) => {
      const text = one.isFile() ? allReadings(readFileSync(join(one.parentPath, one.name))) : '';
      return `${named(one.name)}\n${text}`;
    })
    .join('\n');
}

function allReadings(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  const decoded = (text.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? []).map((run) => Buffer.from(run, 'base64'));
  return [bytes, ...decoded].map((one) => one.toString('latin1')).join('\n');
}

function expectNone(text: string, where: string): void {
  const found = planted.filter((one) => text.includes(one) || text.includes(encodeURIComponent(one)));
  expect(found, where).toEqual([]);
}

async function expectNoneShown(gate: Running, least: number): Promise<void> {
  const shown = await (await fetch(`${gate.url}/__patchgate/exchanges?limit=1000`)).text();
  const { exchanges } = JSON.parse(shown) as { exchanges: { id: number }[] };
  expect(exchanges.length).toBeGreaterThanOrEqual(least);
  expectNone(shown, 'the list of exchanges');
  for (const { id } of exchanges)
    expectNone(await (await fetch(`${gate.url}/__patchgate/exchanges/${id}`)).text(), 'an exchange');
}

/** By itself it looks like nothing: only its name or place makes it a secret. */
const named = (label: string) => plant(`hush-${label}-4711`);
const AWS = plant(`AKIA${'Q2X7'.repeat(4)}`);
const GITHUB = plant(`ghp_${'a1B2c3'.repeat(6)}`);
const GITLAB = plant(`glpat-${'x9Y8z7'.repeat(4)}`);
const SLACK = plant(`xoxb-${'1234567890'.repeat(2)}-abcdef`);
const STRIPE = plant(`sk_live_${'Zz09'.repeat(6)}`);
const NPM = plant(`npm_${'K3l4M5'.repeat(6)}`);
const IN_PATH = plant(`github_pat_${'R7s8T9'.repeat(6)}`);
const IN_NAME = plant(`ghs_${'n4M3s2'.repeat(6)}`);
planted.push(JWT);
const KEY = plant(Buffer.from('a private key, of which this is the text').toString('base64'));
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${KEY}\n-----END RSA PRIVATE KEY-----\n`;
const EMAIL = plant('ada@lovelace.example');
const BASIC = named('basic');

const COMMON: [string, string][] = [
  ['Authorization', `Bearer ${named('bearer')}`],
  ['Cookie', `theme=dark; sid=${named('cookie')}`],
  ['X-Api-Key', `${named('api-key')}`],
  ['Pin-Code', `${named('pin-header')}`],
];

/** Known by a GET, and then replaced by a PATCH: the audit tells of it. */
const OTHER_PATH = PROJECT_PATH.replace('42', '43');
const otherProject = (id: number) =>
  JSON.stringify({ ...GOOD_PROJECT, name: JWT, environments: [{ id, name: JWT, isEnabled: true }] });

const GZIP: [string, string] = ['Content-Encoding', 'gzip'];
const REQUESTS: RawRequest[] = [
  {
    path: `/reports?q=see%20${GITHUB}&s=1;secret=${named('semicolon')}`,
    headers: [...COMMON, ['Referer', `https://u:${named('user')}@h.example/?api_key=${named('referer')}`]],
  },
  { path: `/hooks/${IN_PATH}/run`, headers: COMMON },
  {
    method: 'PATCH',
    path: PROJECT_PATH,
    headers: [JSON_TYPE, ...COMMON],
    body: JSON.stringify({
      ...GOOD_PROJECT,
      integrations: { ci: { isEnabled: true, list: [{ clientSecret: { a: named('deep') } }] } },
      settings: { note: `${AWS} and ${GITLAB}`, slack: SLACK, jwt: JWT, pem: PEM },
    }),
  },
  post(
    '/users',
    JSON_TYPE[1],
    `{ "users": [ {"email": "${EMAIL}"} ], "pin_code": "${named('pin')}" }`,
    ...COMMON,
  ),
  post('/form', FORM[1], `a=1&payload=%7B%22secret%22%3A%22${named('json-in-form')}%22%7D`, ...COMMON),
  post('/name', JSON_TYPE[1], JSON.stringify({ [IN_NAME]: { [IN_NAME]: 1 }, a: 1 }), ...COMMON),
  post('/coded', JSON_TYPE[1], gzipSync(gzipSync(`{"token":"${named('gzip')}"}`)), GZIP, GZIP, ...COMMON),
  post('/rot', JSON_TYPE[1], `{"token":"${named('rot')}"}`, ['Content-Encoding', 'rot0'], ...COMMON),
  { path: '/events', headers: COMMON },
  { path: '/lines', headers: COMMON },
  { path: '/set', headers: [['Authorization', `Basic ${Buffer.from(`me:${BASIC}`).toString('base64')}`]] },
  { path: '/cut', headers: COMMON },
  { path: OTHER_PATH, headers: COMMON },
  { method: 'PATCH', path: OTHER_PATH, headers: [JSON_TYPE, ...COMMON], body: otherProject(2) },
];

/** It was not recorded. */
const UNMATCHED = '/rot';

const NDJSON = `{"a":1}\n{"refreshToken":"${named('line')}"}\n{"users":[{"email":"${EMAIL}"}]}\n`;
const OWN = `"token":"${named('answer')}","deep":[{"privateKey":"${named('deep-answer')}"}],"${IN_NAME}":1`;
const ANSWERS: Record<string, string> = {
  [OTHER_PATH]: otherProject(1),
  '/events': `data: {"access_token":"${named('event')}"}\n\ndata: ${STRIPE}\n\n`,
  '/lines': NDJSON,
  '/set': `the password is ${BASIC}`,
  '/cut': `{"a":1,"sdkKey":"${named('cut-json')}`,
};

/** Answers with secrets of its own, and with those that it was sent, as a text under no name at all. */
const answer: Answer = (req, res) => {
  const { pathname } = new URL(req.url as string, 'http://h');
  const echo = `you sent ${req.headers.authorization} and ${req.headers.cookie} to ${req.url}`;
  res.setHeader('Content-Type', pathname === '/set' ? 'text/plain' : 'application/json');
  if (pathname === '/set') {
    res.setHeader('Set-Cookie', `sid=${named('set-cookie')}; Path=/; HttpOnly`);
    res.setHeader('Location', `/next?token=${named('location')}#access_token=${named('fragment')}`);
    res.setHeader('X-Debug', NPM);
  }
  res.end(ANSWERS[pathname] ?? `{"echo":${JSON.stringify(echo)},${OWN}}`);
};

const SETTINGS = ['--redact', 'pin_code', '--redact', '/users/*/email', '--log', 'json'];

async function send(gate: Running, request: RawRequest) {
  return sendRaw(gate.port, { ...request, headers: [...(request.headers ?? []), ['Connection', 'close']] });
}

it('leaves none in files, journal, log, answers or the control API', { timeout: 60_000 }, async () => {
  const cwd = temporaryFolder();
  const target = await startTarget(answer);
  const recordings = join(cwd, 'recordings');
  const args = ['proxy', target.url, '--record', '--no-guard', '--audit', 'audit.jsonl', ...SETTINGS];
  const gate = await startBinary(args, { cwd });
  const statuses: number[] = [];
  for (const request of REQUESTS) {
    statuses.push((await send(gate, request)).status);
    expectNone(everythingIn(cwd), `the folder after ${request.path}`);
  }
  expect(statuses).toEqual(REQUESTS.map(() => 200));
  expect(target.received.at(-1)?.headers.authorization).toContain('hush-');
  await expectNoneShown(gate, REQUESTS.length);
  const recorded = await gate.stop('SIGKILL');
  expect(everythingIn(recordings)).toContain('[redacted]');
  expectNone(everythingIn(cwd), 'the folder after a kill');
  expect(readFileSync(join(cwd, 'audit.jsonl'), 'utf8')).toContain('environment-replaced');
  expectNone(recorded.stdout + recorded.stderr, 'the log');

  // The next start moves the journal into the files. What was redacted matches whatever is sent in its place.
  const again = await startRecorder(cwd, target.url, {
    ...{ record: 'new_episodes', redact: ['pin_code', '/users/*/email'] },
  });
  await again.gate.close();
  expectNone(everythingIn(recordings), 'the files');
  const replay = await startBinary(['replay', ...SETTINGS], { cwd });
  for (const request of REQUESTS) {
    const { status, body } = await send(replay, request);
    expect(`${request.path.split('?')[0]} ${status}`).toBe(
      `${request.path.split('?')[0]} ${request.path === UNMATCHED ? 501 : 200}`,
    );
    expectNone(allReadings(body), `the replay of ${request.path}`);
    const miss = await send(replay, {
      ...request,
      path: `${request.path}${request.path.includes('?') ? '&' : '?'}x=${STRIPE}`,
    });
    expect([501, 422]).toContain(miss.status);
    expectNone(allReadings(miss.body), `the miss of ${request.path}`);
  }
  await expectNoneShown(replay, REQUESTS.length);
  const replayed = await replay.stop();
  expectNone(replayed.stdout + replayed.stderr, 'the log of the replay');
});

function patchOf(path: string, body: object): RawRequest {
  return { method: 'PATCH', path, headers: [JSON_TYPE], body: JSON.stringify(body) };
}

it('quotes none in what it says of a request that it blocks', async () => {
  const target = await startTarget();
  const gate = await startBinary(['proxy', target.url, ...SETTINGS]);
  const secret = named('finding');
  const bodies = [
    { ...GOOD_PROJECT, name: { token: secret }, [GITHUB]: 1 },
    { ...GOOD_PROJECT, environments: [{ id: JWT, name: AWS, isEnabled: STRIPE, type: GITLAB }] },
    { draftId: JWT, percentTraffic: STRIPE },
  ];
  for (const [i, body] of bodies.entries()) {
    const path = i === 2 ? '/api/v2/accounts/current/drafts/1001' : PROJECT_PATH;
    const answered = await send(gate, patchOf(path, body));
    expect(answered.status).toBe(422);
    expectNone(`${answered.body}${JSON.stringify(answered.headers)}`, 'the answer');
  }
  const path = `/api/v2/accounts/${JWT}/projects/42`;
  const answered = await send(gate, patchOf(path, GOOD_PROJECT));
  expect(answered.status).toBe(422);
  expect(answered.body.toString()).toContain('the path');
  expectNone(answered.body.toString(), 'the answer about a path');
  expectNone(await (await fetch(`${gate.url}/__patchgate/exchanges`)).text(), 'the control API');
  expectNone((await gate.stop()).stdout, 'the log');
});
const KEYS = ['3f8a91c2d4e5b6a7980f1e2d', 'b7c6d5e4f3a2918070615243'];
const SHARES = ['q7Rw2Zt9Lp4Xc8Vb1Nm6Ks3Hd5Fg0Jy2Tz9Qa4', 'h4Ks8Wd2Xz6Bn1Vm9Pq3Lt7Rc5Gj0Fy8Ub2Ei6'];
const PATHS = [
  ...KEYS.map((key) => `/datafiles/v1/${key}/all`),
  ...SHARES.map((share) => `/share/${share}`),
  ...SHARES.map((share) => `/lookup?key=${share}`),
  ...SHARES.map((share) => `/search?q=ghp_${share.slice(0, 36)}`),
];

it('answers with what was recorded for the key of the very environment', { timeout: 60_000 }, async () => {
  const cwd = temporaryFolder();
  const target = await startTarget((req, res) => {
    res.setHeader('Content-Type', 'application/json');
    const environments = KEYS.map((token, id) => ({ id, token }));
    res.end(
      JSON.stringify(req.url === '/environments' ? environments : { at: PATHS.indexOf(req.url ?? '') }),
    );
  });
  const gate = await startBinary(['proxy', target.url, '--record', '--no-guard'], { cwd });
  for (const path of ['/environments', ...PATHS]) expect((await fetch(gate.url + path)).status).toBe(200);
  await gate.stop();
  const replay = await startBinary(['replay'], { cwd });
  const order = [...PATHS.keys()].reverse();
  for (const at of order) {
    const response = await fetch(`${replay.url}${PATHS[at]}`);
    expect([at, response.status, await response.json()]).toEqual([at, 200, { at }]);
  }
  const other = await fetch(`${replay.url}/share/${SHARES[0]?.replace('q7', 'z8')}`);
  expect(other.status).toBe(501);
});

it('redacts large bodies, and keeps every one', { timeout: 60_000 }, async () => {
  const cwd = temporaryFolder();
  const large = (at: number) =>
    JSON.stringify({ at, text: 'a b, '.repeat(200_000), token: `hush-${at}-4711` });
  const target = await startTarget((req, res) => {
    res.setHeader('Content-Type', 'application/json');
    res.end(large(Number(req.url?.slice(1))));
  });
  const gate = await startBinary(['proxy', target.url, '--record', '--no-guard'], { cwd });
  const numbers = [1, 2, 3, 4, 5];
  await Promise.all(numbers.map(async (at) => (await fetch(`${gate.url}/${at}`)).text()));
  await gate.stop();
  const replay = await startBinary(['replay'], { cwd });
  for (const at of numbers)
    expect(await (await fetch(`${replay.url}/${at}`)).text()).toBe(
      large(at).replace(/hush-\d-4711/, '[redacted]'),
    );
});
