/** Secrets in all places where they may stand: none reaches a file, the log, an answer or the control API, and nothing else is taken for one. */
import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { GOOD_PROJECT, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startRecorder } from '../support/in-process.ts';
import { type RawRequest, sendRaw } from '../support/raw.ts';
import { type Answer, startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** By name, in queries, forms and JSON alike. */
const SECRET_NAMES = `
  password passwd pwd newPassword currentPassword password_confirmation DB_PASSWORD dbpassword smtp_pass userPwd PASSWORD2
  passwords passphrase keyPassphrase passcode passwordHash password_hash hashedPassword basicAuthPassword
  secret secrets clientSecret client_secret webhookSecret stripeWebhookSecret1 CONNECTION_SECRET secretValue SecretString
  token tokens accessToken access_token ACCESS_TOKEN accesstoken refreshToken idToken oauth_token oauthTokenSecret authToken
  csrfToken csrf_token _csrf xsrfToken sessionToken deviceToken bearerToken x-access-token nextAccessToken exchange_token
  personalAccessTokens tokenValue apiKey api_key apikey API-KEY APIKey apiKeys sdkKey envSdkKey sdk_key SDKKey privateKey
  privateKeyPem ssh_private_key secretKey secretAccessKey aws_secret_access_key signingKey encryptionKey masterKey
  subscriptionKey licenseKey deployKey webhookKey accountKey sharedKey hmacKey authKey appKey clientKey
  sessionId session_id JSESSIONID PHPSESSID connectSessionIds otp totp otpCode mfaCode 2faCode verification_code recoveryCodes
  authCode deviceCode codeVerifier jwt userJwt credentials dbCredential authorization x-authorization signature oauth_signature
`
  .trim()
  .split(/\s+/);

const PLAIN_NAMES = `
  page pageToken page_token nextToken nextPageToken next_page_token prevToken continuationToken cursor cursorToken syncToken
  tokenCount token_count tokenType tokenExpiresAt max_tokens promptTokens tokenId secretName secretArn passwordPolicy
  password_length passwordResetUrl hasPassword isSecret requiresToken key keys code sid auth variationKey featureKey flagKey
  eventKey projectKey environmentKey publicKey primaryKey foreignKey cacheKey sortKey idempotencyKey idempotency_key keyboard
  monkey hotkey keyId requestId userId sessionTimeout session author authority errorCode statusCode countryCode postalCode
  passed bypass compass tokenizer secretary signatureAlgorithm emailSignature designToken lockToken scope grant email
`
  .trim()
  .split(/\s+/);

const SECRET_HEADERS = `
  Authorization Proxy-Authorization Cookie X-Api-Key Api-Key X-Auth-Token X-Auth-Key X-Auth Token Private-Token Job-Token
  X-Vault-Token X-Amz-Security-Token X-Goog-Api-Key Ocp-Apim-Subscription-Key DD-API-KEY DD-APPLICATION-KEY Fastly-Key
  X-Hub-Signature X-Hub-Signature-256 Stripe-Signature X-Slack-Signature Cf-Access-Jwt-Assertion Cf-Access-Client-Secret
  X-Amzn-Oidc-Data X-Amzn-Oidc-Accesstoken X-Registry-Auth X-Sentry-Auth X-Functions-Key X-User-Jwt X-GitHub-OTP X-Session-Id
  X-License-Key X-Shopify-Access-Token X-CSRFToken X-ApiKey X-Acme-Signing-Secret X-Tenant-Key PayPal-Transmission-Sig
`
  .trim()
  .split(/\s+/);

const PLAIN_HEADERS = `
  Idempotency-Key X-Idempotency-Key Surrogate-Key X-Cache-Key X-Request-Id X-Correlation-Id X-Continuation-Token
  X-Next-Page-Token X-Token-Count X-Author Lock-Token X-Key-Id X-Password-Policy Accept-Language Signature-Input
`
  .trim()
  .split(/\s+/);

const HEX = '0123456789abcdef';
const FORM: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded'];
const base64url = (text: string) => Buffer.from(text).toString('base64url');
const JWT = `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url('{"sub":"4711"}')}.c2lnbmF0dXJl`;

/** Everything that must not be found. */
const planted: string[] = [];

function plant(text: string): string {
  planted.push(text);
  return text;
}

let count = 0;
/** Of chance alone, letters and digits. */
function random(
  length: number,
  letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789',
): string {
  let state = 7919 * ++count;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return letters[Math.floor(state / 2 ** 16) % letters.length];
  }).join('');
}

function post(path: string, type: string, body: string | Buffer, ...headers: [string, string][]): RawRequest {
  return { method: 'POST', path, headers: [['Content-Type', type], ...headers], body };
}

/** Requests that carry these names in all places, with what the target answers. By itself no value looks like anything. */
function traffic(names: readonly string[], headers: readonly string[], label: string) {
  const values: string[] = [];
  const some = (of: readonly string[] = names) =>
    of.map((name): [string, string] => {
      const value = `${label}-${++count}-4711`;
      values.push(value);
      return [name, value];
    });
  const pairs = (of = some()) => of.map(([name, value]) => `${name}=${value}`).join('&');
  const json = (of = some()) => JSON.stringify(Object.fromEntries(of));
  const nested = some().map(([name, value]): [string, string] => [`user[${name}]`, value]);
  const within = { note: json(), url: `https://h.example/a?${pairs()}` };
  const requests: RawRequest[] = [
    { path: `/${label}/query?${pairs()}` },
    { path: `/${label}/nested?${pairs(nested)}` },
    { path: `/${label}/headers`, headers: some(headers) },
    post(`/${label}/json`, 'application/json', `{"a":[{"b":${json()}}]}`),
    post(`/${label}/spaced`, 'application/json', json().replaceAll(':', ' : ')),
    post(`/${label}/text`, 'text/plain', pairs().replaceAll('&', '\n')),
    post(
      `/${label}/events`,
      'text/event-stream',
      some()
        .map((one) => `data: ${json([one])}\n\n`)
        .join(''),
    ),
    post(`/${label}/form`, FORM[1], pairs()),
    post(`/${label}/within`, 'application/json', JSON.stringify(within)),
  ];
  const location = `/next/${label}?${pairs()}#${pairs(some(names.slice(0, 9)))}`;
  const answer = (res: ServerResponse) => {
    res.setHeader('Content-Type', 'application/json');
    res.setHeader('Location', location);
    for (const [name, value] of some(headers)) res.setHeader(name, value);
    res.end(`{"list":[{"deep":${json()}}]}`);
  };
  return { values, requests, answer };
}

/** An answer names it, and the next path has it. */
const ENVIRONMENT_KEY = random(24, HEX);
const OTHERS: [request: RawRequest, secret: string][] = [
  ...[
    ...['sig=S&se=2026-11-22', 'X-Amz-Signature=S&X-Amz-Date=20261122T000000Z', 'X-Amz-Credential=S'],
    ...['X-Goog-Signature=S', 'code=S&state=abc', 'code=S&redirect_uri=https%3A%2F%2Fh.example'],
    ...['SAMLResponse=S', 'client_assertion=S'],
  ].map((query): [RawRequest, string] => {
    const secret = `other-${++count}-4711`;
    return [{ path: `/callback?${query.replace('=S', `=${secret}`)}` }, secret];
  }),
  ...['key', 'code', 'auth'].map((name): [RawRequest, string] => {
    const secret = random(40);
    return [{ path: `/lookup?${name}=${secret}` }, secret];
  }),
  ...[
    ...[`/a;jsessionid=${random(24, HEX)}`, `/download/${JWT}`, `/share/${random(40)}`],
    ...[`/hooks/${random(48, 'abcdefghijklmnopqrstuvwxyz0123456789')}`, `/tokens/${random(40, HEX)}`],
    ...[`/api-keys/${random(32, HEX)}`, `/environments/${random(32, HEX)}/settings`, `/reset/${random(32)}`],
    ...[`/share/${random(64)}/edit`, `/bot/ghp_${random(36)}/send`, `/datafiles/v1/${ENVIRONMENT_KEY}/all`],
  ].map((path): [RawRequest, string] => [
    { path },
    /[^/=]{24,}/.exec(path.replaceAll('jsessionid', ''))?.[0] as string,
  ]),
  ...['"redirect_uri":"https://h.example"', '"client_id":"a"'].map((other): [RawRequest, string] => {
    const secret = `other-${++count}-4711`;
    const body = `{"grant_type":"authorization_code","code":"${secret}",${other}}`;
    return [post('/oauth/token', 'application/json', body), secret];
  }),
];

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

function expectNone(text: string, where: string, secrets: readonly string[] = planted): void {
  const found = secrets.filter((one) => text.includes(one) || text.includes(encodeURIComponent(one)));
  expect(found, where).toEqual([]);
}

async function expectNoneShown(gate: Running, least: number, secrets?: readonly string[]): Promise<void> {
  const shown = await (await fetch(`${gate.url}/__patchgate/exchanges?limit=1000`)).text();
  const { exchanges } = JSON.parse(shown) as { exchanges: { id: number }[] };
  expect(exchanges.length).toBeGreaterThanOrEqual(least);
  expectNone(shown, 'the list of exchanges', secrets);
  for (const { id } of exchanges)
    expectNone(await (await fetch(`${gate.url}/__patchgate/exchanges/${id}`)).text(), 'an exchange', secrets);
}

it('hides what a name or its looks tell, and matches it by any value', { timeout: 120_000 }, async () => {
  const cwd = temporaryFolder();
  const { values, requests, answer } = traffic(SECRET_NAMES, SECRET_HEADERS, 'hush');
  const environment = { id: 1, name: JWT, isEnabled: true };
  const project = (environments: object[]) => JSON.stringify({ ...GOOD_PROJECT, name: JWT, environments });
  const target = await startTarget((req, res) => {
    res.setHeader('Set-Cookie', `sid=${values[0]}`);
    if (req.url?.startsWith('/hush')) return answer(res);
    res.setHeader('Content-Type', 'application/json');
    // What the gate knows of the project, of which a PATCH deletes something then.
    if (req.method === 'GET' && req.url?.startsWith('/t/')) return res.end(project([environment]));
    res.end(req.url === '/environments' ? `[{"id":1,"name":"staging","token":"${ENVIRONMENT_KEY}"}]` : '{}');
  });
  const args = ['--record', '--no-guard', '--audit', 'audit.jsonl'];
  const gate = await startBinary(['proxy', target.url, ...args], { cwd });
  const patch = (path: string, environments: object[]): RawRequest => ({
    ...{ method: 'PATCH', path, headers: [JSON_TYPE] },
    body: project(environments),
  });
  const all: RawRequest[] = [
    ...[{ path: '/environments' }, ...requests, ...OTHERS.map(([request]) => request)],
    ...[patch(PROJECT_PATH, [environment]), patch(`/t/${JWT}${PROJECT_PATH}`, [environment])],
    ...[{ path: `/t/${JWT}${PROJECT_PATH}` }, patch(`/t/${JWT}${PROJECT_PATH}`, [{ ...environment, id: 2 }])],
  ];
  const hushed = () => [...values, ...OTHERS.map(([, secret]) => secret)];
  for (const request of all) {
    expect((await sendRaw(gate.port, request)).status, request.path).toBe(200);
    expectNone(everythingIn(cwd), request.path, hushed());
  }
  await expectNoneShown(gate, all.length, hushed());
  const ended = await gate.stop();
  expectNone(ended.stdout + ended.stderr, 'the log', hushed());
  expect(readFileSync(join(cwd, 'audit.jsonl'), 'utf8')).toContain('environment-replaced');
  expectNone(everythingIn(cwd), 'all files', hushed());
  const replay = await startBinary(['replay'], { cwd });
  for (const request of all) {
    const { status, body } = await sendRaw(replay.port, request);
    expect(status, `${request.path} ${body}`).toBe(200);
  }
});

const PLAIN_PATHS = [
  ...['/records/550e8400-e29b-41d4-a716-446655440000', '/orders/01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ...['/commits/2fd4e1c67a2d28fced849ee1bb76e7391b93eb12', '/accounts/current/tokens/42'],
  '/blobs/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '/users/507f1f77bcf86cd799439011/keys/507f1f77bcf86cd799439012',
  '/posts/how-to-run-an-experiment-in-2026-with-feature-flags',
  ...['/flags/MyFeatureFlagForIOS17AndAndroid14Users', '/assets/vendors~main.8f3b1c9e7a2d4f6b0c1e.chunk.js'],
  `/nodes/${base64url('gid://shopify/Product/123456789')}`,
  '/addresses?state=NY&code=10001&key=home-page-banner-2026',
];

const JS = `(function () { var token = "js-4711"; const password = 'js-4712'; f({ apiKey: "js-4713" }, "?secret=js-4714"); })();`;
const PAGE = `<html><script>var token = "js-4715"; x = {"password": "js-4716"};</script><input password="js-4717"></html>`;
const DRAFT = {
  draftId: 1001,
  variations: [
    {
      id: 1,
      name: 'B',
      editorData: { stack: [{ el: 1, op: { opName: 'html', html: '<a token="js-4718">x</a>' } }] },
      deployContent: [{ jsString: JS, cssSelector: 'input[token="js-4719"]' }],
    },
  ],
};
const FEATURE = {
  name: 'Checkout',
  description: 'A flag',
  goals: [],
  variables: [
    { variableName: 'key', dataType: 'string', defaultValue: 'plain-variable-4711' },
    { variableName: 'token', dataType: 'string', defaultValue: 'plain-variable-4712' },
  ],
  variations: [{ name: 'B', key: 'plain-variation-4711', variables: [] }],
};

it('leaves what is no secret as it is', { timeout: 120_000 }, async () => {
  const cwd = temporaryFolder();
  const { values, requests, answer } = traffic(PLAIN_NAMES, PLAIN_HEADERS, 'plain');
  const target = await startTarget(({ url }, res) =>
    url?.startsWith('/plain') ? answer(res) : res.end('{}'),
  );
  const args = ['--record', '--match-headers', PLAIN_HEADERS.join(',')];
  const gate = await startBinary(['proxy', target.url, ...args], { cwd });
  const account = '/api/v2/accounts/current';
  const patch = (path: string, body: string) => ({ ...post(path, JSON_TYPE[1], body), method: 'PATCH' });
  const all = [
    ...[...requests, ...PLAIN_PATHS.map((path) => ({ path }))],
    patch(`${account}/drafts/1001`, JSON.stringify(DRAFT)),
    patch(`${account}/drafts/1001`, JSON.stringify(DRAFT).replaceAll('"draftId":', '"draftId": ')),
    patch(`${account}/features/7`, JSON.stringify(FEATURE)),
    ...[post('/script', 'text/javascript', JS), post('/page', 'text/html', PAGE)],
  ];
  for (const request of all) expect((await sendRaw(gate.port, request)).status, request.path).toBe(200);
  await gate.stop();
  const kept = everythingIn(join(cwd, 'recordings'));
  const code = Array.from({ length: 9 }, (_, i) => `js-471${i + 1}`);
  const paths = PLAIN_PATHS.map((path) => JSON.stringify(path.split('?')[0]));
  const features = ['plain-variable-4711', 'plain-variable-4712', 'plain-variation-4711'];
  const missing = [...values, ...paths, ...code, ...features].filter((value) => !kept.includes(value));
  expect(missing).toEqual([]);
  expect(kept.split('\n').filter((line) => line.includes('[redacted]'))).toEqual([]);
});

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
];

/** Its body was not kept. */
const UNMATCHED = '/rot';

const NDJSON = `{"a":1}\n{"refreshToken":"${named('line')}"}\n{"users":[{"email":"${EMAIL}"}]}\n`;
const OWN = `"token":"${named('answer')}","deep":[{"privateKey":"${named('deep-answer')}"}],"${IN_NAME}":1`;
const ANSWERS: Record<string, string> = {
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

const SETTINGS = [...['--redact', 'pin_code', '--redact', '/users/*/email'], ...['--log', 'json']];

async function send(gate: Running, request: RawRequest) {
  return sendRaw(gate.port, { ...request, headers: [...(request.headers ?? []), ['Connection', 'close']] });
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
  await expectNoneShown(gate, REQUESTS.length);
  const recorded = await gate.stop('SIGKILL');
  expect(everythingIn(recordings)).toContain('[redacted]');
  expectNone(everythingIn(recordings), 'the folder after a kill');
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
