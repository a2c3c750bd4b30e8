/** Secrets everywhere that a secret can be: none is ever found in a recording, the log, an answer or the control API. */
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

/** Everything that must not be found. */
const planted: string[] = [];

function plant(text: string): string {
  planted.push(text);
  return text;
}

/** By itself it looks like nothing: only its name or place makes it a secret. */
const named = (label: string) => plant(`hush-${label}-4711`);
const base64url = (text: string) => Buffer.from(text).toString('base64url');

const AWS = plant(`AKIA${'Q2X7'.repeat(4)}`);
const GITHUB = plant(`ghp_${'a1B2c3'.repeat(6)}`);
const GITLAB = plant(`glpat-${'x9Y8z7'.repeat(4)}`);
const SLACK = plant(`xoxb-${'1234567890'.repeat(2)}-abcdef`);
const STRIPE = plant(`sk_live_${'Zz09'.repeat(6)}`);
const NPM = plant(`npm_${'K3l4M5'.repeat(6)}`);
const IN_PATH = plant(`github_pat_${'R7s8T9'.repeat(6)}`);
const IN_NAME = plant(`ghs_${'n4M3s2'.repeat(6)}`);
const JWT = plant(`${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url('{"sub":"4711"}')}.c2lnbmF0dXJl`);
const KEY = plant(Buffer.from('a private key, of which this is the text').toString('base64'));
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${KEY}\n-----END RSA PRIVATE KEY-----\n`;
const CARD = plant('CARD-4000-1234');
const EMAIL = plant('ada@lovelace.example');
const BASIC = named('basic');

const BASE = '/api/v2/accounts/current';
const COMMON: [string, string][] = [
  ['Authorization', `Bearer ${named('bearer')}`],
  ['Cookie', `theme=dark; sid=${named('cookie')}`],
  ['X-Api-Key', `${named('api-key')}`],
  ['Pin-Code', `${named('pin-header')}`],
];

const REQUESTS: RawRequest[] = [
  {
    path: `/reports?token=${named('query')}&user[password]=${named('nested')}&q=${encodeURIComponent(`see ${GITHUB}`)}&s=1;secret=${named('semicolon')}`,
    headers: [
      ...COMMON,
      ['Referer', `https://u:${named('userinfo')}@h.example/?api_key=${named('referer')}`],
    ],
  },
  { path: `/hooks/${IN_PATH}/run`, headers: COMMON },
  {
    method: 'PATCH',
    path: PROJECT_PATH,
    headers: [JSON_TYPE, ...COMMON],
    body: JSON.stringify({
      ...GOOD_PROJECT,
      integrations: {
        ci: { isEnabled: true, password: named('body'), list: [{ clientSecret: { a: named('deep') } }] },
      },
      settings: { note: `${AWS} and ${GITLAB}`, slack: SLACK, jwt: JWT, pem: PEM },
    }),
  },
  {
    method: 'POST',
    path: '/users',
    headers: [JSON_TYPE, ...COMMON],
    body: `{ "users": [ {"email": "${EMAIL}", "pay": "with ${CARD}"} ],
      "wrapped": ${JSON.stringify(JSON.stringify({ token: named('wrapped') }))}, "pin_code": "${named('pin-body')}" }`,
  },
  {
    method: 'POST',
    path: '/form',
    headers: [['Content-Type', 'application/x-www-form-urlencoded'], ...COMMON],
    body: `a=1&password=${named('form')}&payload=${encodeURIComponent(JSON.stringify({ secret: named('json-in-form') }))}`,
  },
  {
    method: 'POST',
    path: '/parts',
    headers: [['Content-Type', 'multipart/form-data; boundary=zz'], ...COMMON],
    body: `--zz\r\nContent-Disposition: form-data; name="password"\r\n\r\n${named('part')}\r\n--zz--\r\n`,
  },
  {
    method: 'POST',
    path: '/name',
    headers: [JSON_TYPE, ...COMMON],
    body: JSON.stringify({ [IN_NAME]: { [IN_NAME]: 1 }, a: 1 }),
  },
  {
    method: 'POST',
    path: '/coded',
    headers: [JSON_TYPE, ['Content-Encoding', 'gzip'], ['Content-Encoding', 'gzip'], ...COMMON],
    body: gzipSync(gzipSync(`{"token":"${named('gzip-twice')}"}`)),
  },
  {
    method: 'POST',
    path: '/unknown-coding',
    headers: [JSON_TYPE, ['Content-Encoding', 'rot0'], ...COMMON],
    body: `{"token":"${named('unknown-coding')}"}`,
  },
  { path: '/events', headers: COMMON },
  { path: '/lines', headers: COMMON },
  { path: '/set', headers: [['Authorization', `Basic ${Buffer.from(`me:${BASIC}`).toString('base64')}`]] },
  { path: '/cut', headers: COMMON },
];

/** Its body was not kept. */
const UNMATCHED = ['/unknown-coding'];

/** Answers with secrets of its own, and with those that it was sent, as a text under no name at all. */
const answer: Answer = (req, res) => {
  const { pathname } = new URL(req.url as string, 'http://h');
  const echo = `you sent ${req.headers.authorization} and ${req.headers.cookie} to ${req.url}`;
  if (pathname === '/events') {
    res.setHeader('Content-Type', 'text/event-stream');
    res.end(`data: {"access_token":"${named('event')}"}\n\ndata: ${STRIPE}\n\n`);
  } else if (pathname === '/lines') {
    res.setHeader('Content-Type', 'application/x-ndjson');
    res.end(`{"a":1}\n{"refreshToken":"${named('line')}"}\n{"users":[{"email":"${EMAIL}"}]}\n`);
  } else if (pathname === '/set') {
    res.setHeader('Set-Cookie', `sid=${named('set-cookie')}; Path=/; HttpOnly`);
    res.setHeader('Location', `/next?token=${named('location')}#access_token=${named('fragment')}`);
    res.setHeader('X-Debug', NPM);
    res.end(`the password is ${BASIC}`);
  } else if (pathname === '/cut') {
    res.setHeader('Content-Type', 'application/json');
    res.end(`{"a":1,"sdkKey":"${named('cut-json')}`);
  } else {
    res.setHeader('Content-Type', 'application/json');
    res.end(
      JSON.stringify({
        echo,
        token: named('answer'),
        deep: [{ privateKey: named('deep-answer') }],
        [IN_NAME]: 1,
      }),
    );
  }
};

const SETTINGS = [
  ...['--redact', 'pin_code', '--redact', '/users/*/email', '--redact-patterns', 'CARD-\\d{4}-\\d{4}'],
  ...['--log', 'json'],
];

/** Names and bytes of all files below a folder, and what stands in them in base64. */
function everythingIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const name = entry.name
        .replace(/\+([a-z])/g, (_, letter: string) => letter.toUpperCase())
        .replaceAll('~5f', '_');
      return entry.isFile()
        ? `${name}\n${allReadings(readFileSync(join(entry.parentPath, entry.name)))}`
        : name;
    })
    .join('\n');
}

function allReadings(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  const decoded = (text.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? []).map((run) => Buffer.from(run, 'base64'));
  return [bytes, ...decoded].map((one) => one.toString('latin1')).join('\n');
}

function expectNone(text: string, where: string): void {
  expect(
    planted.filter((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret))),
    where,
  ).toEqual([]);
}

async function send(gate: Running, request: RawRequest) {
  return sendRaw(gate.port, { ...request, headers: [...(request.headers ?? []), ['Connection', 'close']] });
}

async function expectNoneShown(gate: Running): Promise<void> {
  const shown = await (await fetch(`${gate.url}/__patchgate/exchanges`)).text();
  expect(JSON.parse(shown).exchanges.length).toBeGreaterThanOrEqual(REQUESTS.length);
  expectNone(shown, 'the control API');
}

it('leaves none in files, journal, log, answers or the control API', { timeout: 60_000 }, async () => {
  const cwd = temporaryFolder();
  const target = await startTarget(answer);
  const recordings = join(cwd, 'recordings');
  const gate = await startBinary(['proxy', target.url, '--record', '--no-guard', ...SETTINGS], { cwd });
  const statuses: number[] = [];
  for (const request of REQUESTS) {
    statuses.push((await send(gate, request)).status);
    expectNone(everythingIn(recordings), `the folder after ${request.path}`);
  }
  expect(statuses).toEqual(REQUESTS.map(() => 200));
  expect(target.received.at(-1)?.headers.authorization).toContain('hush-');
  await expectNoneShown(gate);
  const recorded = await gate.stop('SIGKILL');
  expect(everythingIn(recordings)).toContain('[redacted]');
  expectNone(everythingIn(recordings), 'the folder after a kill');
  expectNone(recorded.stdout + recorded.stderr, 'the log');

  // The next start moves the journal into the files. What was redacted matches whatever is sent in its place.
  const again = await startRecorder(cwd, target.url, {
    ...{ record: 'new_episodes', redact: ['pin_code', '/users/*/email'] },
    redactPatterns: ['CARD-\\d{4}-\\d{4}'],
  });
  await again.gate.close();
  expectNone(everythingIn(recordings), 'the files');
  const replay = await startBinary(['replay', ...SETTINGS], { cwd });
  for (const request of REQUESTS) {
    const { status, body } = await send(replay, request);
    expect(`${request.path.split('?')[0]} ${status}`).toBe(
      `${request.path.split('?')[0]} ${UNMATCHED.includes(request.path) ? 501 : 200}`,
    );
    expectNone(allReadings(body), `the replay of ${request.path}`);
    const miss = await send(replay, {
      ...request,
      path: `${request.path}${request.path.includes('?') ? '&' : '?'}x=${STRIPE}`,
    });
    expect([501, 422]).toContain(miss.status);
    expectNone(allReadings(miss.body), `the miss of ${request.path}`);
  }
  await expectNoneShown(replay);
  const replayed = await replay.stop();
  expectNone(replayed.stdout + replayed.stderr, 'the log of the replay');
});

it('quotes none in what it says of a request that it blocks', async () => {
  const target = await startTarget();
  const gate = await startBinary(['proxy', target.url, ...SETTINGS]);
  const secret = `hush-${'finding'}-4711`;
  planted.push(secret);
  const bodies = [
    { ...GOOD_PROJECT, name: { token: secret }, [GITHUB]: 1 },
    { ...GOOD_PROJECT, environments: [{ id: JWT, name: AWS, isEnabled: STRIPE, type: GITLAB }] },
    { draftId: JWT, percentTraffic: STRIPE },
  ];
  for (const [i, body] of bodies.entries()) {
    const path = i === 2 ? `${BASE}/drafts/1001` : PROJECT_PATH;
    const answered = await send(gate, {
      method: 'PATCH',
      path,
      headers: [JSON_TYPE],
      body: JSON.stringify(body),
    });
    expect(answered.status).toBe(422);
    expectNone(`${answered.body}${JSON.stringify(answered.headers)}`, 'the answer');
    const dryRun = await fetch(`${gate.url}/__patchgate/validate`, {
      method: 'POST',
      body: JSON.stringify({ method: 'PATCH', url: path, body: JSON.stringify(body) }),
    });
    expectNone(await dryRun.text(), 'the dry run');
  }
  const path = `/api/v2/accounts/${JWT}/projects/42`;
  const answered = await send(gate, {
    method: 'PATCH',
    path,
    headers: [JSON_TYPE],
    body: JSON.stringify(GOOD_PROJECT),
  });
  expect(answered.status).toBe(422);
  expect(answered.body.toString()).toContain('the path');
  expectNone(answered.body.toString(), 'the answer about a path');
  const shown = await (await fetch(`${gate.url}/__patchgate/exchanges`)).text();
  expectNone(shown, 'the control API');
  const { stdout } = await gate.stop();
  expectNone(stdout, 'the log');
});
