/** Some hundred secrets, each in all places where its name may stand: none reaches the disk, and nothing else is taken for one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBinary } from '../support/binary.ts';
import { GOOD_PROJECT, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { type RawRequest, sendRaw } from '../support/raw.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** By name, in queries, forms, multipart and JSON alike. */
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

let count = 0;
/** Of chance alone, letters and digits, as long as you like. */
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
const HEX = '0123456789abcdef';
const base64url = (text: string) => Buffer.from(text).toString('base64url');

/** By itself each value looks like nothing: only its name makes it a secret. */
function valuesOf(names: readonly string[], label: string): [name: string, value: string][] {
  return names.map((name) => [name, `${label}-${++count}-4711`]);
}

const pairs = (values: [string, string][]) => values.map(([name, value]) => `${name}=${value}`).join('&');
const object = (values: [string, string][]) => Object.fromEntries(values);
const multipart = (values: [string, string][]) =>
  `${values.map(([name, value]) => `--zz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--zz--\r\n`;
const FORM: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded'];

/** Requests that carry these names in all places, with what the target answers. */
function traffic(names: readonly string[], headers: readonly string[], label: string) {
  const values: string[] = [];
  const some = (of: readonly string[], where: string) => {
    const made = valuesOf(of, `${label}-${where}`);
    values.push(...made.map(([, value]) => value));
    return made;
  };
  const location = `/next/${label}?${pairs(some(names, 'location'))}#${pairs(some(names.slice(0, 9), 'fragment'))}`;
  const answer = JSON.stringify({ list: [{ deep: object(some(names, 'answer')) }] });
  const answerHeaders = some(headers, 'answer-header');
  const requests: RawRequest[] = [
    { path: `/${label}/query?${pairs(some(names, 'query'))}` },
    {
      path: `/${label}/nested?${pairs(some(names, 'nested').map(([name, value]) => [`user[${name}]`, value]))}`,
    },
    { path: `/${label}/headers`, headers: some(headers, 'header') },
    {
      method: 'POST',
      path: `/${label}/json`,
      headers: [JSON_TYPE],
      body: JSON.stringify({ a: [{ b: object(some(names, 'json')) }] }),
    },
    {
      method: 'POST',
      path: `/${label}/spaced`,
      headers: [JSON_TYPE],
      body: JSON.stringify(object(some(names, 'spaced'))).replaceAll(':', ' : '),
    },
    {
      method: 'POST',
      path: `/${label}/text`,
      headers: [['Content-Type', 'text/plain']],
      body: some(names, 'text')
        .map(([name, value]) => `${name}=${value}`)
        .join('\n'),
    },
    {
      method: 'POST',
      path: `/${label}/events`,
      headers: [['Content-Type', 'text/event-stream']],
      body: some(names, 'event')
        .map((pair) => `data: ${JSON.stringify(object([pair]))}\n\n`)
        .join(''),
    },
    { method: 'POST', path: `/${label}/form`, headers: [FORM], body: pairs(some(names, 'form')) },
    {
      method: 'POST',
      path: `/${label}/parts`,
      headers: [['Content-Type', 'multipart/form-data; boundary=zz']],
      body: multipart(some(names, 'part')),
    },
    {
      method: 'POST',
      path: `/${label}/within`,
      headers: [JSON_TYPE],
      body: JSON.stringify({
        note: JSON.stringify(object(some(names, 'within'))),
        url: `https://h.example/a?${pairs(some(names, 'url'))}`,
      }),
    },
  ];
  return { values, requests, location, answer, answerHeaders };
}

const JWT = `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url('{"sub":"4711"}')}.${random(43)}`;
/** An answer names it, and the next path has it. */
const ENVIRONMENT_KEY = random(24, HEX);
const OTHERS: [request: RawRequest, secret: string][] = [
  ...[
    'sig=S&se=2026-11-22',
    'X-Amz-Signature=S&X-Amz-Date=20261122T000000Z',
    'X-Amz-Credential=S',
    'X-Goog-Signature=S',
    'code=S&state=abc',
    'code=S&redirect_uri=https%3A%2F%2Fh.example',
    'SAMLResponse=S',
    'client_assertion=S',
  ].map((query): [RawRequest, string] => {
    const secret = `other-${++count}-4711`;
    return [{ path: `/callback?${query.replace('=S', `=${secret}`)}` }, secret];
  }),
  ...['key', 'code', 'auth'].map((name): [RawRequest, string] => {
    const secret = random(40);
    return [{ path: `/lookup?${name}=${secret}` }, secret];
  }),
  ...[
    `/a;jsessionid=${random(24, HEX)}`,
    `/download/${JWT}`,
    `/share/${random(40)}`,
    `/share/${random(64)}/edit`,
    `/hooks/${random(48, 'abcdefghijklmnopqrstuvwxyz0123456789')}`,
    `/tokens/${random(40, HEX)}`,
    `/api-keys/${random(32, HEX)}`,
    `/environments/${random(32, HEX)}/settings`,
    `/reset/${random(32)}`,
    `/bot/ghp_${random(36)}/send`,
  ].map((path): [RawRequest, string] => [
    { path },
    /[^/=]{24,}/.exec(path.replaceAll('jsessionid', ''))?.[0] as string,
  ]),
  [{ path: `/datafiles/v1/${ENVIRONMENT_KEY}/all` }, ENVIRONMENT_KEY],
  ...[
    { grant_type: 'authorization_code', code: 'S', redirect_uri: 'https://h.example' },
    { grant_type: 'authorization_code', client_id: 'a', code: 'S' },
  ].map((body): [RawRequest, string] => {
    const secret = `other-${++count}-4711`;
    const headers = [JSON_TYPE];
    return [
      { method: 'POST', path: '/oauth/token', headers, body: JSON.stringify({ ...body, code: secret }) },
      secret,
    ];
  }),
];

const PLAIN_PATHS = [
  '/records/550e8400-e29b-41d4-a716-446655440000',
  '/commits/2fd4e1c67a2d28fced849ee1bb76e7391b93eb12',
  '/blobs/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '/users/507f1f77bcf86cd799439011/keys/507f1f77bcf86cd799439012',
  '/orders/01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '/posts/how-to-run-an-experiment-in-2026-with-feature-flags',
  '/flags/MyFeatureFlagForIOS17AndAndroid14Users',
  '/assets/vendors~main.8f3b1c9e7a2d4f6b0c1e.chunk.js',
  `/nodes/${base64url('gid://shopify/Product/123456789')}`,
  '/addresses?state=NY&code=10001&key=home-page-banner-2026',
  '/accounts/current/tokens/42',
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
const CODE_REQUESTS: RawRequest[] = [
  {
    method: 'PATCH',
    path: '/api/v2/accounts/current/drafts/1001',
    headers: [JSON_TYPE],
    body: JSON.stringify(DRAFT),
  },
  {
    method: 'PATCH',
    path: '/api/v2/accounts/current/drafts/1001',
    headers: [JSON_TYPE],
    body: JSON.stringify(DRAFT).replaceAll('"draftId":', '"draftId": '),
  },
  {
    method: 'PATCH',
    path: '/api/v2/accounts/current/features/7',
    headers: [JSON_TYPE],
    body: JSON.stringify(FEATURE),
  },
  { method: 'POST', path: '/script', headers: [['Content-Type', 'text/javascript']], body: JS },
  { method: 'POST', path: '/page', headers: [['Content-Type', 'text/html']], body: PAGE },
];

const SECRETS = traffic(SECRET_NAMES, SECRET_HEADERS, 'hush');
const PLAIN = traffic(PLAIN_NAMES, PLAIN_HEADERS, 'plain');
const PLANTED = [...SECRETS.values, ...OTHERS.map(([, secret]) => secret)];

async function startService() {
  return startTarget((req, res) => {
    const { location, answer, answerHeaders } = req.url?.includes('plain') ? PLAIN : SECRETS;
    res.setHeader('Content-Type', 'application/json');
    if (req.url === '/environments') res.end(`[{"id":1,"name":"staging","token":"${ENVIRONMENT_KEY}"}]`);
    else if (!req.url?.startsWith('/hush') && !req.url?.startsWith('/plain')) res.end('{}');
    else {
      res.setHeader('Location', location);
      for (const [name, value] of answerHeaders) res.setHeader(name, value);
      res.setHeader('Set-Cookie', `sid=${SECRETS.values[0]}`);
      res.end(answer);
    }
  });
}

function everythingIn(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => {
      const name = entry.name
        .replace(/\+([a-z])/g, (_, letter: string) => letter.toUpperCase())
        .replaceAll('~5f', '_');
      return entry.isFile() ? `${name}\n${readFileSync(join(entry.parentPath, entry.name), 'utf8')}` : name;
    })
    .join('\n');
}

const leaked = (text: string) => PLANTED.filter((secret) => text.includes(secret));

describe('secrets', () => {
  it(`never reach the disk, and are matched by any value (${PLANTED.length})`, {
    timeout: 120_000,
  }, async () => {
    const cwd = temporaryFolder();
    const target = await startService();
    const args = ['--record', '--no-guard', '--audit', 'audit.jsonl'];
    const gate = await startBinary(['proxy', target.url, ...args], { cwd });
    const project = { ...GOOD_PROJECT, name: JWT, environments: [{ id: 1, name: JWT, isEnabled: true }] };
    const all: RawRequest[] = [
      { path: '/environments' },
      ...SECRETS.requests,
      ...OTHERS.map(([request]) => request),
      { method: 'PATCH', path: PROJECT_PATH, headers: [JSON_TYPE], body: JSON.stringify(project) },
      {
        method: 'PATCH',
        path: `/t/${JWT}${PROJECT_PATH}`,
        headers: [JSON_TYPE],
        body: JSON.stringify(project),
      },
      {
        method: 'PATCH',
        path: `/t/${JWT}${PROJECT_PATH}`,
        headers: [JSON_TYPE],
        body: JSON.stringify({ ...project, environments: [{ id: 2, name: 'b', isEnabled: true }] }),
      },
    ];
    for (const request of all) {
      const { status } = await sendRaw(gate.port, request);
      expect(status, request.path).toBe(200);
      expect(leaked(everythingIn(cwd)), request.path).toEqual([]);
    }
    const shown = await (await fetch(`${gate.url}/__patchgate/exchanges?limit=1000`)).text();
    expect(JSON.parse(shown).exchanges).toHaveLength(all.length);
    expect(leaked(shown), 'the exchange list').toEqual([]);
    for (const { id } of JSON.parse(shown).exchanges)
      expect(leaked(await (await fetch(`${gate.url}/__patchgate/exchanges/${id}`)).text())).toEqual([]);
    const ended = await gate.stop();
    expect(leaked(ended.stdout + ended.stderr), 'the log').toEqual([]);
    expect(readFileSync(join(cwd, 'audit.jsonl'), 'utf8')).toContain('environment-deleted');
    expect(leaked(everythingIn(cwd)), 'all files').toEqual([]);
    const replay = await startBinary(['replay'], { cwd });
    for (const request of all) {
      const { status, body } = await sendRaw(replay.port, request);
      expect(status, `${request.path} ${body}`).toBe(200);
    }
  });
});

describe('what is no secret', () => {
  it('stays as it is', { timeout: 120_000 }, async () => {
    const cwd = temporaryFolder();
    const target = await startService();
    const gate = await startBinary(
      ['proxy', target.url, '--record', '--match-headers', PLAIN_HEADERS.join(',')],
      {
        cwd,
      },
    );
    const all = [...PLAIN.requests, ...PLAIN_PATHS.map((path) => ({ path })), ...CODE_REQUESTS];
    for (const request of all) {
      const { status } = await sendRaw(gate.port, request);
      expect(status, request.path).toBe(200);
    }
    await gate.stop();
    const kept = everythingIn(join(cwd, 'recordings'));
    expect(PLAIN.values.filter((value) => !kept.includes(value))).toEqual([]);
    expect(PLAIN_PATHS.filter((path) => !kept.includes(JSON.stringify(path.split('?')[0])))).toEqual([]);
    const code = Array.from({ length: 9 }, (_, i) => `js-471${i + 1}`);
    const variables = ['plain-variable-4711', 'plain-variable-4712', 'plain-variation-4711'];
    expect([...code, ...variables].filter((value) => !kept.includes(value))).toEqual([]);
    const placeholders = kept.split('\n').filter((line) => line.includes('[redacted]'));
    expect(placeholders).toEqual([]);
  });
});
